// The view Compare.

import { h } from "./dom.js";

export const name = "compare";
export const title = "Compare";

export function show(root) {
  root.append(h("p", null, "Compare"));
}
