// Parts that the views Tools and Call share.

import { h } from "./dom.js";

export const number = (n) => n.toLocaleString("en");

export const plural = (n, one, many = one + "s") => number(n) + " " + (n === 1 ? one : many);

// fill replaces the content of an element, by the rules of h for children.
export function fill(place, ...children) {
  place.replaceChildren(...h("div", null, ...children).childNodes);
}

// facts is a list of names and values; those without a value are left out.
export function facts(...rows) {
  return h("dl", { class: "facts" }, rows
    .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== "" && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}

// short makes a list no higher than its rows.
export function short(list, rows, height = 28) {
  list.style.height = Math.min(rows * height + 2, Math.round(innerHeight * 0.6)) + "px";
  list.style.minHeight = "0";
  return list;
}
