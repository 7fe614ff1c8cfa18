// The view Waterfall.

import { h } from "./dom.js";

export const name = "waterfall";
export const title = "Waterfall";

export function show(root) {
  root.append(h("p", null, "Waterfall"));
}
