// The view Site.

import { h } from "./dom.js";

export const name = "site";
export const title = "Site";

export function show(root) {
  root.append(h("p", null, "Site"));
}
