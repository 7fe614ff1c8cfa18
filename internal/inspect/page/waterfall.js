// The view Waterfall: a bar for each part of the work, as it happens.

import { h, address, duration, foreign, size } from "./dom.js";
import { get } from "./ask.js";
import { list } from "./list.js";
import { bar, legend, ruler, stages } from "./bars.js";
import { clock, rowsOf, runsOf, runTitle, textOf } from "./runs.js";

export const name = "waterfall";
export const title = "Waterfall";
// live: the view follows the work, and is not shown again with a new answer.
export const live = true;
export const keys = [
  ["/", "filter the bars"],
  ["↑ ↓ Home End", "select a bar, in the list"],
  ["Esc", "empty the filter, in its field"],
];

export function show(root, app) {
  const narrow = matchMedia("(max-width: 700px)");
  const state = { run: 0, span: [0, 1], asked: new Map(), answer: -1 };
  const field = h("input", {
    type: "search", id: "waterfall-filter", placeholder: "host, path, verdict, from …", autocomplete: "off", spellcheck: "false",
    oninput: refill,
    onkeydown: (event) => {
      if (event.key !== "Escape" || field.value === "") return;
      event.stopPropagation(); // the next one leads to the tabs
      field.value = "";
      refill();
    },
  });
  const runs = h("select", { id: "waterfall-run", onchange: () => { state.run = Number(runs.value); refill(); } });
  const count = h("output", { class: "quiet", for: "waterfall-filter" });
  const axis = h("div", { class: "ruler", "aria-hidden": "true" });
  const facts = h("div", { "aria-live": "polite" });
  const times = h("div");
  const details = h("section", { class: "details", "aria-label": "Details of the selected bar", tabindex: "0" }, facts, times);
  const bars = list({
    items: [], label: "Requests, in the order of their beginning", row: draw, pick: () => { told = ""; detail(); },
    height: 26, same: (a, b) => a.id === b.id,
  });
  bars.classList.add("bars");
  root.append(
    h("div", { class: "toolbar" },
      h("label", { for: "waterfall-run" }, "Asked"), runs,
      h("label", { for: "waterfall-filter" }, "Filter"), field, count),
    legend(),
    h("div", { class: "waterfall" }, h("div", { class: "chart" }, axis, bars), details),
  );

  // now is the time of the watch: that of the newest news, and the time since then.
  const seen = { at: performance.now(), ms: 0 };
  const now = () => seen.ms + performance.now() - seen.at;

  function draw(row) {
    return [
      h("span", { class: "what" + (row.depth ? " deeper" : "") }, row.label),
      h("span", { class: "said" }, row.verdict ? [h("b", { class: toneOf(row) }, row.verdict), " "] : null, row.status || row.note?.reason || row.error),
      h("span", { class: "from" }, row.from),
      h("span", { class: "took" }, row.begin === undefined ? "" : duration((row.end ?? now()) - row.begin)),
      row.begin === undefined ? h("span", { class: "lane" }) : bar(row, state.span, now()),
    ];
  }

  function refill() {
    const all = runsOf(app.parts);
    showRuns(all);
    const run = all.find((r) => r.part.id === state.run) ?? all.at(-1);
    if (!run) {
      bars.show([], tall());
      count.textContent = "nothing was asked yet";
      facts.replaceChildren();
      times.replaceChildren();
      return;
    }
    const rows = rowsOf(run, app.parts, state.asked.get(run.part.id));
    const end = Math.max(...rows.map((r) => r.end ?? (r.begin === undefined ? 0 : now())), run.part.endMs ?? now());
    state.span = [run.part.beginMs, Math.max(end, run.part.beginMs + 0.1)];
    axis.replaceChildren(ruler(state.span));
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = filtered(rows, words);
    const probes = rows.filter((r) => !r.heading).length;
    const left = kept.filter((r) => !r.heading).length;
    count.textContent = words.length ? left + " of " + probes : probes + (probes === 1 ? " bar" : " bars");
    bars.show(kept, tall());
    state.open = run.part.endMs === undefined;
    detail();
  }

  const tall = () => (narrow.matches ? 58 : 26);

  function showRuns(all) {
    const wanted = all.map((r, n) => [String(r.part.id), runTitle(r, n)]);
    const same = wanted.length === runs.options.length && wanted.every(([id, words], n) => runs.options[n].value === id && runs.options[n].text === words);
    if (same) return;
    const last = runs.options.length === 0 || runs.selectedIndex === runs.options.length - 1;
    runs.replaceChildren(...wanted.map(([id, words]) => h("option", { value: id }, words)));
    if (last) state.run = all.at(-1)?.part.id ?? 0; // follow the newest
    runs.value = String(state.run);
  }

  // The facts are told to a reader of screens, once each; the times grow.
  let told = "";
  function detail() {
    const row = bars.selected();
    times.replaceChildren(row && row.begin !== undefined ? stages(row, now()) : "");
    const text = JSON.stringify(row ?? null);
    if (text === told) return;
    told = text;
    facts.replaceChildren(...(row ? about(row) : [h("p", { class: "quiet" }, "No bar is selected.")]));
  }

  async function notes() {
    if (state.answer === app.state.answer) return;
    state.answer = app.state.answer;
    for (const asked of await get("waterfall")) state.asked.set(asked.part, asked.notes);
    refill();
  }

  app.onparts = (parts) => {
    for (const part of parts) {
      const at = part.endMs ?? part.beginMs;
      if (at > now() || seen.ms === 0) Object.assign(seen, { at: performance.now(), ms: at });
    }
    refill();
  };
  app.onstate = () => notes();
  app.onparts([...app.parts.values()]);
  const tick = setInterval(() => { if (state.open) refill(); }, 100);
  const turn = () => refill();
  narrow.addEventListener("change", turn);
  notes();
  return () => {
    clearInterval(tick);
    narrow.removeEventListener("change", turn);
  };
}

// filtered keeps the rows that have all words, and the headings of those.
function filtered(rows, words) {
  const kept = [];
  let heading = null;
  for (const row of rows) {
    if (row.heading) {
      heading = row;
      continue;
    }
    const text = textOf(row);
    if (!words.every((word) => text.includes(word))) continue;
    if (heading) kept.push(heading);
    heading = null;
    kept.push(row);
  }
  return kept;
}

// toneOf is the class of a verdict, which its words tell as well.
const toneOf = (row) => (row.error ? "bad" : { yes: "good", unknown: "warn" }[row.note?.document] ?? "quiet");

// about are the details of a bar.
function about(row) {
  const { part, note, exchange, read } = row;
  const facts = [
    ["Status", row.status],
    ["Verdict", row.verdict && [h("b", { class: toneOf(row) }, row.verdict), note?.reason ? [" (", h("code", null, note.reason), ")"] : ""]],
    ["When it is given", note?.when],
    ["A document is there", note?.document],
    ["From", row.fromWords],
    ["Asked or remembered at", note?.since && clock(note.since)],
    ["Counts until", note?.until && clock(note.until)],
    ["Error", row.error],
    ["In detail", note?.error && foreign(note.error)],
    ["Redirected from", part?.redirectedFrom && address(part.redirectedFrom)],
    ["Attempt", exchange && exchange.attempt > 1 ? exchange.attempt : ""],
    ["Connection", exchange && exchange.stages ? (exchange.reused ? "used before" : "made for this request") : ""],
    ["Address that answered", note?.remote],
    ["Formats of the place", note?.formats?.join(", ")],
    ["robots.txt", note?.robots ? "asks crawlers not to go there" : ""],
    ["Bytes of the body", part?.bytes ? size(part.bytes) : ""],
    ["Bytes on the wire", exchange?.bytes ? size(exchange.bytes) : ""],
    ["Places", part?.places],
  ].filter(([, value]) => value);
  return [
    h("h2", null, row.url ? address(row.url) : row.label),
    row.none ? h("p", null, "No request was sent for this place.") : null,
    h("dl", null, facts.map(([term, value]) => [h("dt", null, term), h("dd", null, value)])),
    read?.error ? h("p", { class: "bad" }, "Reading: ", read.error) : null,
  ].filter(Boolean);
}
