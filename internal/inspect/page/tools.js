// The view Tools.

import { h } from "./dom.js";

export const name = "tools";
export const title = "Tools";

export function show(root) {
  root.append(h("p", null, "Tools"));
}
