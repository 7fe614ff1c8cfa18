// A list that makes its rows on demand: a thousand rows cost as much as a screenful.

import { h } from "./dom.js";

// list shows rows of one height. row(item, index) makes the content of one; open(item,
// index), where given, is called by Enter and a click. Up, Down, Home, End and the page
// keys move the selection. The element has a method show(items) for other items.
export function list({ items, row, open, label, height = 28 }) {
  let shown = items;
  let current = 0;
  const inner = h("div", { class: "rows", role: "presentation" });
  const outer = h("div", {
    class: "list", role: "listbox", tabindex: "0", "aria-label": label,
    onscroll: () => requestAnimationFrame(draw),
    onkeydown: key,
  }, inner);

  function draw() {
    const first = Math.max(0, Math.floor(outer.scrollTop / height) - 5);
    const last = Math.min(shown.length, Math.ceil((outer.scrollTop + (outer.clientHeight || 600)) / height) + 5);
    inner.style.height = shown.length * height + "px";
    inner.replaceChildren();
    for (let i = first; i < last; i++) {
      const element = h("div", {
        class: "row", role: "option", id: outer.id ? outer.id + "-" + i : undefined,
        "aria-selected": i === current ? "true" : "false", "aria-setsize": shown.length, "aria-posinset": i + 1,
        onclick: () => { select(i); open?.(shown[i], i); },
      }, row(shown[i], i));
      element.style.top = i * height + "px";
      element.style.height = height + "px";
      inner.append(element);
    }
  }

  function select(i) {
    current = Math.max(0, Math.min(shown.length - 1, i));
    const top = current * height;
    if (top < outer.scrollTop) outer.scrollTop = top;
    if (top + height > outer.scrollTop + outer.clientHeight) outer.scrollTop = top + height - outer.clientHeight;
    draw();
  }

  function key(event) {
    const page = Math.max(1, Math.floor(outer.clientHeight / height) - 1);
    const moves = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: shown.length - 1, PageDown: current + page, PageUp: current - page };
    if (event.key in moves) {
      event.preventDefault();
      select(moves[event.key]);
    } else if (event.key === "Enter" && shown.length > 0) {
      event.preventDefault();
      open?.(shown[current], current);
    }
  }

  outer.show = (next) => {
    shown = next;
    current = Math.min(current, Math.max(0, next.length - 1));
    draw();
  };
  new ResizeObserver(draw).observe(outer);
  draw();
  return outer;
}
