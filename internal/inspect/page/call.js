// The view Call.

import { h } from "./dom.js";

export const name = "call";
export const title = "Call";

export function show(root) {
  root.append(h("p", null, "Call"));
}
