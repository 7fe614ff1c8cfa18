// The view Site: all that the answer holds in one list, and one item of it in full.

import { h, foreign, address, copier } from "./dom.js";
import { get } from "./ask.js";
import { list } from "./list.js";

export const name = "site";
export const title = "Site";

// What the reader chose stays when the view is shown again.
const chosen = { filter: "", sort: "", item: null, focused: false };

// A document of more lines than this is drawn on demand.
const manyLines = 300;

export function show(root, app) {
  const about = h("p", { class: "quiet" }, app.state.asking ? "The site is being asked." : "There is no answer yet.");
  const filter = h("input", {
    type: "search", id: "site-filter", value: chosen.filter, placeholder: "words, codes, URLs", autocomplete: "off", spellcheck: "false",
    oninput: () => { chosen.filter = filter.value; draw(); },
    onkeydown: (event) => {
      if (event.key === "ArrowDown" || event.key === "Enter") {
        event.preventDefault();
        rows.focus();
        if (event.key === "Enter" && shown.length > 0) open(shown[0]);
      }
    },
  });
  const groups = h("div", { class: "groups", role: "group", "aria-label": "Show" });
  const count = h("p", { class: "quiet tally", role: "status" });
  const rows = list({ items: [], row: rowOf, open, label: "What the answer holds" });
  const pane = h("section", { class: "pane", "aria-label": "The chosen item", "aria-live": "polite", tabindex: "-1" },
    h("p", { class: "quiet" }, "Choose an item: Enter opens the one that is marked."));
  root.classList.add("findings");
  root.append(about,
    h("div", { class: "choice" }, h("label", { for: "site-filter" }, "Filter ", h("kbd", null, "/")), filter, groups),
    count, h("div", { class: "split" }, rows, pane));
  if (chosen.focused) filter.focus();

  let items = [];
  let shown = [];
  let answer = 0;
  let ended = false;

  if (app.state.answer > 0) get("site").then((site) => {
    if (ended) return;
    answer = site.answer;
    items = site.items.map((item) => ({ ...item, words: [item.name, item.text, item.mark, ...(item.notes ?? [])].join(" ").toLowerCase() }));
    about.replaceChildren(site.summary, ". Asked ", site.resolvedAt, ", fresh until ", site.freshUntil, ".", ...(site.host ? [" It leads to ", h("bdi", null, site.host), ", where the places were asked."] : []));
    const all = { sort: "", title: "All", count: items.length };
    groups.replaceChildren(...[all, ...site.groups].filter((g) => g.count > 0).map((g) => h("button", {
      type: "button", class: "chip", "data-sort": g.sort, onclick: () => { chosen.sort = g.sort; draw(); },
    }, g.title, " ", h("span", { class: "quiet" }, g.count))));
    if (!site.groups.some((g) => g.sort === chosen.sort && g.count > 0)) chosen.sort = "";
    draw();
    chosen.item = (chosen.item && twin(items, chosen.item)) ?? shown[0];
    if (chosen.item) open(chosen.item);
  }).catch((error) => {
    if (!ended) about.replaceChildren(h("span", { class: "error", role: "alert" }, error.message));
  });

  function draw() {
    const words = chosen.filter.toLowerCase().split(/\s+/).filter((word) => word !== "");
    shown = items.filter((item) => (chosen.sort === "" || item.sort === chosen.sort) && words.every((word) => item.words.includes(word)));
    for (const chip of groups.children) chip.setAttribute("aria-pressed", String(chip.dataset.sort === chosen.sort));
    count.textContent = items.length > 0 ? shown.length + " of " + items.length : "";
    rows.show(shown);
  }

  async function open(item) {
    chosen.item = item;
    try {
      const detail = await get("site/detail", { answer, sort: item.sort, index: item.index });
      if (ended || chosen.item !== item) return;
      const parts = detailOf(detail);
      pane.replaceChildren(...parts);
      pane.scrollTop = 0;
      if (detail.document) {
        const text = await get("site/document", { answer, url: detail.document });
        if (!ended && chosen.item === item) pane.append(documentOf(text, detail.marks));
      }
    } catch (error) {
      if (!ended && chosen.item === item) pane.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
    }
  }

  return () => {
    ended = true;
    chosen.focused = document.activeElement === filter;
  };
}

// twin finds an item in the list of another answer, where it may have another place; null
// where it is gone.
function twin(items, was) {
  const same = items.filter((item) => item.sort === was.sort && item.name === was.name);
  const alike = same.filter((item) => item.text === was.text);
  return alike.find((item) => item.index === was.index) ?? alike[0] ?? (same.length === 1 ? same[0] : null);
}

// Words for the sorts, in the singular.
const sorts = {
  service: "service", capability: "capability", conflict: "conflict", diagnostic: "diagnostic",
  policy: "policy", source: "read", listed: "listed", probe: "asked",
};

const grades = { error: "bad", warning: "warn", malformed: "bad", unreachable: "warn", blocked: "warn", throttled: "warn", refused: "warn", protected: "warn", found: "good" };

function rowOf(item) {
  return [
    h("span", { class: "quiet sort" }, sorts[item.sort]),
    item.mark ? h("span", { class: "grade " + (grades[item.mark] ?? "quiet") }, h("bdi", null, item.mark.replaceAll("_", " "))) : null,
    h("span", { class: "name" }, foreign(item.name)),
    ...(item.notes ?? []).map((note) => h("span", { class: "remark warn" }, h("bdi", null, note))),
    h("span", { class: "quiet text" }, item.text ? foreign(item.text) : null),
  ];
}

function isAddress(text) {
  return /^https?:\/\/\S+$/.test(text);
}

// valueOf shows a value of a site: a URL with its host set off.
function valueOf(text) {
  if (isAddress(text)) return address(text);
  return text.includes("\n") ? h("pre", { class: "foreign code", tabindex: "0" }, text) : foreign(text);
}

// detailOf shows one item in full.
export function detailOf(detail) {
  const parts = [
    h("h2", null, h("span", { class: "quiet" }, sorts[detail.sort], " "), isAddress(detail.name) ? address(detail.name) : foreign(detail.name)),
    (detail.notes ?? []).length > 0 ? h("p", { class: "warn" }, detail.notes.map((note) => h("span", { class: "remark" }, h("bdi", null, note)))) : null,
    detail.text ? h("p", { class: "foreign prose" }, detail.text) : null,
    ...(detail.marks ?? []).map(markOf),
  ];
  if (detail.facts) parts.push(factsOf(detail.facts));
  if (detail.readings) parts.push(readingsOf(detail.readings));
  if (detail.from) parts.push(h("h3", null, "Where it comes from"), fromOf(detail.from));
  if (detail.model) {
    parts.push(h("details", null, h("summary", null, "All of it, as JSON"), copier(detail.model), h("pre", { class: "foreign code", tabindex: "0" }, detail.model)));
  }
  return parts.filter((part) => part !== null);
}

function factsOf(facts) {
  return h("table", { class: "facts" }, h("tbody", null, facts.map((fact) => h("tr", null,
    h("th", { scope: "row" }, fact.name),
    h("td", null,
      fact.own ? fact.value : valueOf(fact.value),
      fact.note ? h("span", { class: "quiet remark" }, h("bdi", null, fact.note)) : null,
      (fact.from ?? []).map((o) => h("div", { class: "quiet" }, "from ", placeOf(o), rankOf(o))))))));
}

// rankOf is the authority and the trust of a document, where they are known.
function rankOf(o) {
  return [o.authority, o.trust?.replaceAll("_", " ")].filter((text) => text).map((text) => h("span", { class: "remark" }, h("bdi", null, text)));
}

// placeOf names a place in a document.
function placeOf(o) {
  const at = o.pointer ? [" at ", h("bdi", { class: "foreign code" }, o.pointer)] : o.line ? " in line " + o.line : null;
  return [address(o.url), at];
}

function fromOf(list) {
  return h("table", null,
    h("thead", null, h("tr", null, ["Document", "Format", "Authority", "Trust"].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", null, list.map((o) => h("tr", null,
      h("td", null, placeOf(o)), h("td", null, o.format ? foreign(o.format) : null),
      h("td", null, o.authority), h("td", null, (o.trust ?? "").replaceAll("_", " "))))));
}

// readingsOf puts statements side by side. Each says in words whether it is that of the
// answer.
function readingsOf(readings) {
  return h("div", { class: "readings" },
    h("h3", null, "Side by side"),
    (readings.why ?? []).map((why) => h("p", null, h("span", { class: "quiet" }, "Why: "), foreign(why))),
    h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Statements side by side" }, h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Field"), readings.columns.map((c, n) => h("th", { scope: "col" },
        n === 0 ? h("span", { class: "good" }, "In the answer ") : null,
        c.url ? [h("div", null, c.name ? foreign(c.name) : null), h("div", null, placeOf(c)),
          h("div", { class: "quiet" }, [c.format, c.authority, c.trust?.replaceAll("_", " ")].filter((text) => text).map((text) => h("span", { class: "remark" }, h("bdi", null, text))))] : null)))),
      h("tbody", null, readings.rows.map((row) => h("tr", null, h("th", { scope: "row" }, foreign(row.field)),
        row.values.map((value, n) => h("td", null,
          value ? valueOf(value) : h("span", { class: "quiet" }, silence(row, n)),
          n > 0 && value && readings.rows[0].values[0] ? h("div", { class: row.same[n] ? "good" : "warn" }, row.field === "in the document" ? null : row.same[n] ? "as in the answer" : "another statement") : null))))))));
}

// silence says why a column has no value.
function silence(row, n) {
  if (row.field === "in the document") return n === 0 ? "" : "not found in its text";
  return row.merged?.[n] ? "merged into the answer: see its document" : "says nothing";
}

// markOf is a diagnostic, with the rule and its mend.
function markOf(mark) {
  const place = mark.line ? " in line " + mark.line : "";
  return h("div", { class: "diagnostic " + (grades[mark.severity] ?? "") },
    h("p", null, h("strong", null, mark.severity), " ", h("bdi", { class: "code" }, mark.code), place, mark.pointer ? [" at ", h("bdi", { class: "foreign code" }, mark.pointer)] : null),
    h("p", null, foreign(mark.message)),
    mark.means ? h("p", { class: "own" }, mark.means) : null,
    mark.mend ? h("p", { class: "own" }, h("span", { class: "quiet" }, "To mend it: "), mark.mend) : null,
    mark.spec ? h("p", { class: "own quiet" }, "Rule: ", foreign(mark.spec), " ", mark.specUrl ? address(mark.specUrl) : null) : null);
}

// documentOf shows a document by lines. Those with diagnostics are marked, and the first
// of wanted, or else of all, is in sight.
function documentOf(text, wanted) {
  const marks = new Map();
  for (const mark of text.marks ?? []) {
    if (!marks.has(mark.line ?? 0)) marks.set(mark.line ?? 0, []);
    marks.get(mark.line ?? 0).push(mark);
  }
  const lines = text.lines ?? [];
  const all = (text.marks ?? []).filter((mark) => mark.line > 0);
  const place = h("section", { class: "document", "aria-label": "The document" },
    h("h3", null, "The document "), h("p", null, address(text.url)),
    text.note ? h("p", { class: "quiet" }, text.note) : null,
    lines.length > 0 ? h("p", { class: "quiet" }, lines.length, lines.length === 1 ? " line, " : " lines, ", all.length, " of the diagnostics at a line") : null);
  const first = (wanted ?? []).find((mark) => mark.line > 0)?.line ?? all[0]?.line;
  if (lines.length > manyLines) place.append(...longDocument(lines, marks, first));
  else if (lines.length > 0) place.append(shortDocument(lines, marks, first));
  return place;
}

function marksText(list) {
  return list.map((mark) => mark.severity + " " + mark.code).join(", ");
}

function shortDocument(lines, marks, first) {
  const body = h("div", { class: "lines", tabindex: "0", role: "region", "aria-label": "Lines" }, h("table", null,
    h("thead", { class: "hidden" }, h("tr", null, h("th", { scope: "col" }, "Line"), h("th", { scope: "col" }, "Text"))),
    h("tbody", null, lines.map((line, n) => {
      const here = marks.get(n + 1);
      return h("tr", { class: here ? "marked" : null, "data-line": n + 1 },
        h("th", { scope: "row" }, n + 1),
        h("td", null, h("bdi", { class: "foreign code" }, line),
          here ? here.map((mark) => h("div", { class: "at " + (grades[mark.severity] ?? "") }, "↑ ", mark.severity, " ", h("bdi", { class: "code" }, mark.code), ": ", foreign(mark.message))) : null));
    }))));
  if (first) {
    requestAnimationFrame(() => {
      const row = body.querySelector(`[data-line="${first}"]`);
      if (row) body.scrollTop = row.offsetTop - 60;
    });
  }
  return body;
}

function longDocument(lines, marks, first) {
  const whole = h("pre", { class: "foreign code", tabindex: "0", hidden: true });
  const rows = list({
    items: lines, label: "Lines of the document", height: 22,
    row: (line, n) => [h("span", { class: "number quiet" }, n + 1),
      marks.has(n + 1) ? h("span", { class: "grade " + (grades[marks.get(n + 1)[0].severity] ?? "") }, marksText(marks.get(n + 1))) : null,
      h("bdi", { class: "foreign code" }, line.slice(0, 500))],
    open: (line) => {
      whole.hidden = false;
      whole.textContent = line;
    },
  });
  if (first) requestAnimationFrame(() => { rows.scrollTop = Math.max(0, first - 4) * 22; });
  return [h("p", { class: "quiet" }, "Enter shows a line in full."), rows, whole];
}
