// The view Tools: the definitions that each vendor gets, what they lose, the
// capabilities that are no tools, and what a number of tokens would keep.

import { h, foreign, address, copier, size } from "./dom.js";
import { facts, fill, number, plural, short } from "./parts.js";
import { get, post } from "./ask.js";
import { list } from "./list.js";

export const name = "tools";
export const title = "Tools";
export const keys = [["/", "say which tool is missing"], ["↑ ↓ Enter", "open a tool, in the list"]];

// chosen is kept between views, and between answers.
const chosen = { vendor: "openai", strict: false, query: "", tokens: "", filter: "" };

export async function show(root, app) {
  root.classList.add("calls");
  if (app.state.asking || app.state.answer === 0 && !app.state.error) {
    root.append(h("p", { class: "quiet" }, "The tools are read when there is an answer."));
    return;
  }
  const waiting = h("p", { class: "quiet", role: "status" }, "Reading the contracts …");
  root.append(waiting);
  const loaded = await post("tools/load", {});
  waiting.remove();
  new View(root, app, loaded).start();
}

class View {
  constructor(root, app, loaded) {
    Object.assign(this, { root, app, loaded, parts: [], turns: new Map() });
    this.sum = h("p", { class: "sum", role: "status", id: "tools-sum" });
    this.rows = h("div");
    this.tool = h("section", { class: "tool", "aria-label": "Tool" });
    this.choice = h("div", { id: "choice" });
    this.vendors = h("div");
    this.whole = h("div");
  }

  start() {
    const vendor = h("select", { id: "vendor", onchange: () => { chosen.vendor = vendor.value; this.changed(); } },
      this.loaded.vendors.map((v) => h("option", { value: v, selected: v === chosen.vendor }, v)));
    const strict = h("input", { type: "checkbox", id: "strict", checked: chosen.strict, onchange: () => { chosen.strict = strict.checked; this.changed(); } });
    this.root.append(...[
      h("div", { class: "controls" },
        h("label", { for: "vendor" }, "Vendor"), vendor,
        h("label", { class: "check" }, strict, "strict mode")),
      this.sum,
      this.loaded.note ? h("p", { id: "note" }, "Note for the model: ", foreign(this.loaded.note)) : null,
      this.missing(),
      h("div", { class: "sides" }, h("div", null, this.rows), this.tool),
      this.budget(),
      this.more("All vendors side by side", this.vendors, () => this.compare()),
      this.more("The JSON of the whole request", this.whole, () => this.json())].filter(Boolean));
    return this.changed();
  }

  // more is a part that is made when it is opened.
  more(words, place, make) {
    const element = h("details", { ontoggle: () => { if (element.open) make(); } }, h("summary", null, words), place);
    this.parts.push(() => element.open && make());
    return element;
  }

  // newest gets a value for a part of the view; undefined: the part has asked anew since.
  async newest(part, path, query) {
    const turn = (this.turns.get(part) ?? 0) + 1;
    this.turns.set(part, turn);
    const value = await get(path, query);
    return this.turns.get(part) === turn ? value : undefined;
  }

  query() {
    return { for: chosen.vendor, strict: chosen.strict ? "true" : "" };
  }

  async changed() {
    const view = await this.newest("vendor", "tools/vendor", this.query());
    if (!view) return;
    this.vendor = view;
    fill(this.sum,
      h("b", null, plural(view.tools.length, "tool")), " · ", h("b", null, plural(view.tokens, "token")), " as estimated",
      view.skipped.length > 0 ? " · " + plural(view.skipped.length, "tool") + " that " + view.vendor + " cannot take" : null,
      view.left.length > 0 ? " · " + plural(view.left.length, "tool") + " beyond what a request may have" : null);
    const open = (item) => this.open(item.name);
    fill(this.rows, view.tools.length === 0
      ? h("p", null, "No capability of this site has become a tool. The list of missing ones says why.")
      : short(list({ items: view.tools, label: "Tools", open, row: (t) => this.row(t) }), view.tools.length));
    this.drawMissing();
    for (const part of this.parts) part();
    const first = view.tools.find((t) => t.name === this.app.selected) ?? view.tools[0];
    if (first) await this.open(first.name);
    else fill(this.tool);
    if (chosen.query || chosen.tokens) await this.choose();
  }

  row(t) {
    const losses = [t.narrower > 0 ? t.narrower + " narrower" : "", t.wider > 0 ? t.wider + " wider" : "", t.renamed > 0 ? t.renamed + " renamed" : ""].filter(Boolean).join(", ");
    return [
      h("b", { class: "grow" }, foreign(t.name)),
      losses ? h("span", { class: t.narrower > 0 ? "warn" : "quiet" }, losses) : null,
      chosen.strict ? h("span", { class: t.strict ? "good" : "quiet" }, t.strict ? "strict" : "not strict") : null,
      h("span", { class: "count" }, plural(t.tokens, "token")),
    ];
  }

  async open(name) {
    this.app.selected = name;
    const asked = this.query();
    const t = await this.newest("tool", "tools/tool", { ...asked, name });
    const now = this.query();
    if (!t || asked.for !== now.for || asked.strict !== now.strict) return; // changed opens it anew
    fill(this.tool,
      h("h2", null, foreign(t.name)),
      h("p", null, h("button", { type: "button", id: "to-call", onclick: () => this.app.open("call") }, "Call this tool")),
      t.description ? h("p", { class: "told" }, foreign(t.description)) : h("p", { class: "quiet" }, "The site does not describe it."),
      facts(
        ["Capability", foreign(t.key)],
        ["Also described as", t.aliases?.map((key) => h("div", null, foreign(key)))],
        ["Described at", distinct(t.sources).map((ref) => h("div", null, address(ref.source), ref.pointer ? [" ", h("span", { class: "code foreign" }, ref.pointer)] : null, ref.line ? ", line " + ref.line : null))],
        ["Name", ["made from ", foreign(t.from), t.rules.map((rule) => "; " + rule)]],
        ["Strict mode", chosen.strict ? (t.strict ? "yes" : t.whyNot ? "no: " + t.whyNot : "no: this vendor has none") : null],
        ["Tokens", t.json ? number(t.tokens) + " as estimated" : null]),
      t.skipped ? h("p", { class: "warn" }, chosen.vendor + " does not get this tool: ", foreign(t.skipped)) : null,
      h("h3", null, "Rules that the format of " + chosen.vendor + " leaves out"), losses(t.losses, "None: the definition has each rule of the publisher's schema."),
      h("h3", null, "Changed back before a call"), undone(t.undone),
      t.lifted.length > 0 ? [h("h3", null, "Rules of the publisher's schema that are not read (" + t.dialect + ")"), losses(t.lifted)] : null,
      t.json ? [h("h3", null, "Definition for " + chosen.vendor + " ", copier(t.json)), h("pre", { class: "foreign code", tabindex: "0", "aria-label": "Definition", id: "definition" }, t.json)] : null);
  }

  missing() {
    const field = h("input", { type: "search", id: "missing-filter", value: chosen.filter, oninput: () => { chosen.filter = field.value; this.drawMissing(); } });
    this.gone = h("div", { id: "missing", tabindex: "0", role: "region", "aria-labelledby": "missing-title" });
    this.goneTitle = h("h2", { id: "missing-title" }, "Missing tools");
    return h("section", { class: "missing", "aria-labelledby": "missing-title" },
      h("p", { class: "controls" }, this.goneTitle, h("label", { for: "missing-filter" }, "Why is this tool missing?"), field),
      this.gone);
  }

  // drawMissing lists what is no tool, at this vendor or at all.
  drawMissing() {
    const most = 200;
    const all = this.loaded.missing.concat(
      (this.vendor?.skipped ?? []).map((s) => ({ ...s, vendor: this.vendor.vendor })),
      (this.vendor?.left ?? []).map((tool) => ({ key: tool, domain: "", code: "limit_tools", reason: "a request to " + this.vendor.vendor + " may have no more tools", asked: true })));
    const words = chosen.filter.trim().toLowerCase();
    const found = all.filter((m) => ((m.key ?? "") + " " + m.domain + " " + m.reason + " " + m.code).toLowerCase().includes(words));
    const tools = words ? this.loaded.tools.filter((t) => (t.key + " " + t.name).toLowerCase().includes(words)).slice(0, 5) : [];
    this.goneTitle.textContent = "Missing tools" + (all.length > 0 ? ": " + number(all.length) : ": none");
    this.gone.classList.toggle("some", found.length > 0);
    fill(this.gone,
      tools.length > 0 ? h("p", null, "Not missing: ", tools.map((t, i) => [i > 0 ? ", " : "", foreign(t.key), " is the tool ", foreign(t.name)])) : null,
      all.length === 0 ? h("p", null, "Each capability of the site is a tool.") : null,
      all.length > 0 && found.length === 0 && tools.length === 0 ? h("p", null, "The site has no capability with these words: no document that was read names it.") : null,
      found.length > 0 ? h("table", null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Capability or site"), h("th", { scope: "col" }, "Why it is no tool"))),
        h("tbody", null, found.slice(0, most).map((m) => h("tr", null,
          h("th", { scope: "row" }, foreign(m.key || m.domain)),
          h("td", null,
            m.asked ? null : h("b", { class: "warn" }, m.code === "incomplete" || m.code === "unlisted" ? "not known: " : "could not be asked: "),
            m.vendor ? m.vendor + " cannot take it: " : null,
            foreign(m.reason), m.tool ? [": ", foreign(m.tool)] : null, " ", h("span", { class: "quiet" }, "(" + m.code + ")")))))) : null,
      found.length > most ? h("p", { class: "quiet" }, number(found.length - most) + " more: type words to narrow the list.") : null);
  }

  budget() {
    const query = h("input", { type: "search", id: "query", value: chosen.query, placeholder: "refund an order" });
    const tokens = h("input", { type: "text", inputmode: "numeric", pattern: "[0-9]*", id: "tokens", size: 7, value: chosen.tokens, placeholder: "no limit" });
    const form = h("form", {
      class: "controls", id: "budget",
      onsubmit: (event) => {
        event.preventDefault();
        chosen.query = query.value;
        chosen.tokens = tokens.value.replace(/[^0-9]/g, "").slice(0, 9);
        this.choose();
      },
    },
      h("label", { for: "tokens" }, "Tokens"), tokens,
      h("label", { for: "query" }, "Query"), query,
      h("button", { type: "submit" }, "Choose"));
    return h("section", { "aria-labelledby": "budget-title" },
      h("h2", { id: "budget-title" }, "What a budget keeps"),
      h("p", { class: "quiet" }, "The tools that the words of a query find come first, best first; then the others. Each gets room for its definition while there is any."),
      form, this.choice);
  }

  async choose() {
    const c = await this.newest("choice", "tools/choice", { for: chosen.vendor, query: chosen.query, tokens: chosen.tokens });
    if (!c) return;
    const kept = c.rows.filter((row) => row.kept).length;
    const parts = { full: "in full", brief: "its first sentence", name: "its name", "": "left out" };
    const height = matchMedia("(max-width: 700px)").matches ? 52 : 28; // two lines, or one
    fill(this.choice,
      h("p", { role: "status" }, h("b", null, "Kept: " + number(kept) + " of " + plural(c.rows.length, "tool")), ", " + plural(c.tokens, "token") + (c.most > 0 ? " of " + number(c.most) : "") + ". ",
        "A text that has the rest in brief would hold " + number(c.selection.full) + " in full, " + number(c.selection.brief) + " by a sentence, " + number(c.selection.names) + " by name, and leave " + number(c.selection.left) + ": " + plural(c.selection.tokens, "token") + "."),
      c.rows.length > 0 ? short(list({
        items: c.rows, height, label: "Tools in the order in which they get room", open: (row) => this.open(row.name),
        row: (row) => [
          h("b", { class: row.kept ? "good" : "quiet" }, row.kept ? "kept" : "left"),
          h("span", { class: "grow" }, foreign(row.name)),
          h("span", { class: "quiet" }, row.exact ? "the query is its name" : row.score > 0 ? "score " + row.score.toFixed(2) : chosen.query ? "no word found" : ""),
          h("span", { class: "count" }, row.tokens > 0 ? plural(row.tokens, "token") + (c.most > 0 ? (row.kept ? " of " : " > ") + number(row.room) : "") : "not written"),
          h("span", { class: "quiet" }, "in brief: " + parts[row.part ?? ""]),
        ],
      }), c.rows.length, height) : null);
  }

  async compare() {
    const sums = await this.newest("sums", "tools/vendors", { strict: chosen.strict ? "true" : "" });
    if (!sums) return;
    const columns = [["tools", "Tools"], ["tokens", "Tokens"], ["bytes", "Bytes"], ["narrower", "Narrower"], ["wider", "Wider"], ["renamed", "Renamed"], ["skipped", "Cannot take"], ["left", "Beyond limit"]];
    if (chosen.strict) columns.push(["notStrict", "Not strict"]);
    fill(this.vendors,
      h("p", { class: "quiet" }, "Narrower: tools of which the model cannot express each value that the publisher takes. Wider: tools of which it may write values that the publisher refuses; they are found before a call."),
      h("div", { class: "across", tabindex: "0", role: "region", "aria-label": "All vendors" }, h("table", { id: "vendors" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Vendor"), columns.map(([, words]) => h("th", { scope: "col", class: "count" }, words)))),
        h("tbody", null, sums.map((s) => h("tr", null, h("th", { scope: "row" }, s.vendor), columns.map(([key]) => h("td", { class: "count" }, number(s[key])))))))));
  }

  async json() {
    const text = await this.newest("json", "tools/json", this.query());
    if (!text) return;
    const most = 200_000;
    fill(this.whole,
      h("p", null, size(text.bytes) + " as it is sent ", copier(text.text)),
      text.text.length > most ? h("p", { class: "quiet" }, "The first " + number(most) + " characters are shown; the button copies all.") : null,
      h("pre", { class: "foreign code", tabindex: "0", "aria-label": "Definitions" }, text.text.slice(0, most)));
  }
}

// distinct leaves out places that are named twice.
const distinct = (refs) => [...new Map((refs ?? []).map((ref) => [JSON.stringify(ref), ref])).values()];

function losses(rows, none) {
  if (rows.length === 0) return h("p", { class: "quiet" }, none);
  return h("table", { class: "losses" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Rule"), h("th", { scope: "col" }, "Effect"))),
    h("tbody", null, rows.map((l) => h("tr", null,
      h("th", { scope: "row" }, h("span", { class: "code" }, foreign(l.kw)), " at ", h("span", { class: "code" }, foreign(l.ptr || "the root"))),
      h("td", null, h("b", { class: l.effect === "narrower" ? "warn" : "quiet" }, l.effect), ": " + l.text + " ", h("span", { class: "quiet" }, "(" + l.code + ")"))))));
}

function undone(rows) {
  if (rows.length === 0) return h("p", { class: "quiet" }, "Nothing: the model writes the arguments as the publisher names them.");
  return h("ul", null, rows.map((u) => h("li", null, u.shown
    ? ["the model writes ", foreign(u.shown), ", and the call has ", foreign(u.own)]
    : "null is taken out where it stands for an absent property")));
}
