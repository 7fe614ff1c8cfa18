// A list that makes its rows on demand: a thousand rows cost as much as a screenful.

import { h } from "./dom.js";

let lists = 0;

// list shows rows of one height. row(item, index) makes the content of one; pick(item,
// index), where given, is called when another row is selected, and open(item, index) by
// Enter and a click. Up, Down, Home, End and the page keys move the selection. An item
// with the member "heading" is a heading, which cannot be selected. The element has the
// methods show(items, height) for other items, where the item that was selected stays so
// if same(a, b) finds it again, and choose(index).
export function list({ items, row, open, pick, label, height = 28, same = (a, b) => a === b }) {
  const id = "list-" + ++lists;
  let shown = items;
  let current = firstOption();
  let pressed = -1;
  const inner = h("div", { class: "rows", role: "presentation" });
  const outer = h("div", {
    class: "list", role: "listbox", tabindex: "0", "aria-label": label,
    onscroll: () => requestAnimationFrame(draw),
    onkeydown: key,
    onpointerdown: press,
    onclick: click,
  }, inner);

  function firstOption() {
    return Math.max(0, shown.findIndex((item) => !item?.heading));
  }

  function draw() {
    const first = Math.max(0, Math.floor(outer.scrollTop / height) - 5);
    const last = Math.min(shown.length, Math.ceil((outer.scrollTop + (outer.clientHeight || 600)) / height) + 5);
    inner.style.height = shown.length * height + "px";
    const rows = [];
    let active = null;
    for (let i = first; i < last; i++) {
      const heading = Boolean(shown[i]?.heading);
      const element = h("div", {
        class: heading ? "row heading" : "row", role: heading ? "presentation" : "option", id: id + "-" + i, "data-index": i,
        "aria-selected": heading ? null : String(i === current),
        "aria-setsize": heading ? null : shown.length, "aria-posinset": heading ? null : i + 1,
      }, row(shown[i], i));
      element.style.top = i * height + "px";
      element.style.height = height + "px";
      if (i === current && !heading) active = element.id;
      rows.push(element);
    }
    inner.replaceChildren(...rows);
    if (active) outer.setAttribute("aria-activedescendant", active);
    else outer.removeAttribute("aria-activedescendant");
  }

  // select takes the next row from i on, in a direction, that is no heading.
  function select(i, step) {
    const end = shown.length - 1;
    let at = Math.max(0, Math.min(end, i));
    while (shown[at]?.heading && at + step >= 0 && at + step <= end) at += step;
    if (at > end || shown[at]?.heading) return reveal(Math.max(0, Math.min(end, i)));
    const changed = at !== current;
    current = at;
    reveal(at);
    if (changed) pick?.(shown[at], at);
  }

  function reveal(i) {
    const top = i * height;
    if (top < outer.scrollTop) outer.scrollTop = top;
    if (top + height > outer.scrollTop + outer.clientHeight) outer.scrollTop = top + height - outer.clientHeight;
    draw();
  }

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(outer.clientHeight / height) - 1);
    const moves = {
      ArrowDown: [current + 1, 1], ArrowUp: [current - 1, -1], Home: [0, 1], End: [shown.length - 1, -1],
      PageDown: [current + page, 1], PageUp: [current - page, -1],
    };
    if (event.key in moves) {
      event.preventDefault();
      select(...moves[event.key]);
    } else if (event.key === "Enter" && shown.length > 0 && !shown[current]?.heading) {
      event.preventDefault();
      open?.(shown[current], current);
    }
  }

  // A row may be drawn again while the mouse is down, and then gets no click.
  function press(event) {
    pressed = event.pointerType === "mouse" && event.button === 0 ? take(event) : -1;
  }

  function click(event) {
    if (pressed < 0) take(event);
    pressed = -1;
  }

  function take(event) {
    const element = event.target.closest?.(".row");
    if (!element || !inner.contains(element)) return -1;
    const i = Number(element.dataset.index);
    if (shown[i]?.heading) return -1;
    outer.focus({ preventScroll: true });
    select(i, 1);
    open?.(shown[i], i);
    return i;
  }

  outer.show = (next, tall = height) => {
    const was = shown[current];
    shown = next;
    height = tall;
    const again = was === undefined ? -1 : next.findIndex((item) => same(item, was));
    current = again >= 0 ? again : Math.min(current, Math.max(0, next.length - 1));
    if (shown[current]?.heading) current = firstOption();
    draw();
  };
  outer.choose = (i) => select(i, 1);
  outer.selected = () => (shown[current]?.heading ? undefined : shown[current]);
  new ResizeObserver(draw).observe(outer);
  draw();
  return outer;
}
