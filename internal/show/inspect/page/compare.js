// The view Compare: the changes from another state to the answer, by risk.

import { h, foreign } from "./dom.js";
import { get } from "./ask.js";
import { list } from "./list.js";

export const name = "compare";
export const title = "Compare";

const chosen = { state: "" };

const grades = { riskier: "bad", incomparable: "warn", safer: "good", equal: "quiet" };

export function show(root, app) {
  const body = h("div", { class: "comparison", role: "status" });
  const states = h("select", { id: "compare-with", onchange: () => { chosen.state = states.value; fill(); } });
  root.classList.add("findings");
  root.append(h("div", { class: "choice" }, h("label", { for: "compare-with" }, "The answer, compared with"), states), body);
  let ended = false;

  async function fill() {
    try {
      const c = await ask();
      if (ended) return;
      chosen.state = c.with ?? "";
      states.replaceChildren(...c.states.map((s) => h("option", { value: s.name, selected: s.name === c.with }, s.title)));
      states.disabled = c.states.length === 0;
      body.replaceChildren(...comparisonOf(c));
    } catch (error) {
      if (!ended) body.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
    }
  }

  if (app.state.answer > 0) fill();
  else body.append(h("p", { class: "quiet" }, "There is no answer yet."));
  return () => { ended = true; };
}

// ask asks for the chosen state, and for the first where that is gone.
async function ask() {
  try {
    return await get("compare", { with: chosen.state });
  } catch (error) {
    if (chosen.state === "") throw error;
    chosen.state = "";
    return get("compare");
  }
}

function comparisonOf(c) {
  const things = c.things ?? [];
  const pane = h("section", { class: "pane", "aria-label": "The chosen change" });
  const rows = list({
    items: things, label: "Changes, the riskiest first",
    row: (thing) => [h("span", { class: "grade " + grades[thing.risk] }, thing.risk), h("span", { class: "quiet sort" }, thing.change), h("span", { class: "quiet sort" }, thing.kind), h("span", { class: "name" }, foreign(thing.key))],
    open: (thing) => { pane.replaceChildren(...thingOf(thing)); },
  });
  if (things.length > 0) pane.replaceChildren(...thingOf(things[0]));
  return [
    h("p", null, c.risk ? [h("strong", { class: grades[c.risk] }, c.risk), ": "] : null, c.verdict, " ", things.length > 0 ? h("span", { class: "quiet" }, "Things that differ: " + things.length + ".") : null),
    c.states.length === 0 ? h("p", null, h("button", { type: "button", onclick: () => document.getElementById("again").click() }, "Ask again")) : null,
    things.length > 0 ? h("div", { class: "split" }, rows, pane) : null,
    ...(c.lists ?? []).map((l) => h("details", { open: l.items.length <= 20 }, h("summary", null, l.title, ": ", l.items.length),
      l.items.length <= 20 ? h("ul", null, l.items.map((text) => h("li", null, foreign(text)))) : list({ items: l.items, row: (text) => foreign(text), label: l.title }))),
  ].filter((part) => part !== null);
}

function thingOf(thing) {
  return [
    h("h2", null, h("span", { class: "quiet" }, thing.kind, " ", thing.change, " "), foreign(thing.key)),
    thing.text ? h("p", null, foreign(thing.text)) : null,
    h("p", null, "Risk: ", h("strong", { class: grades[thing.risk] }, thing.risk)),
    thing.reasons ? h("ul", null, thing.reasons.map((r) => h("li", null, h("strong", { class: grades[r.risk] }, r.risk), " ", h("bdi", null, r.text)))) : null,
    thing.fields ? h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Fields before and after" }, h("table", null,
      h("thead", null, h("tr", null, ["Field", "Before", "Now"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", null, thing.fields.map((f) => h("tr", null, h("th", { scope: "row" }, foreign(f.field), " ", h("div", { class: "quiet" }, f.class)), h("td", null, side(f.old)), h("td", null, side(f.new))))))) : null,
  ].filter((part) => part !== null);
}

function side(text) {
  if (!text) return h("span", { class: "quiet" }, "none");
  return text.includes("\n") ? h("pre", { class: "foreign code", tabindex: "0" }, text) : foreign(text);
}
