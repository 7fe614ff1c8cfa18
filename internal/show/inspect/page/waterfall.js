// The view Waterfall: a bar for each part of the work, as it happens.

import { h, address, duration, foreign, size } from "./dom.js";
import { get } from "./ask.js";
import { list } from "./list.js";
import { bar, legend, ruler, stages } from "./bars.js";
import { parse } from "./filter.js";
import { message } from "./message.js";
import { fill } from "./parts.js";
import { clock, rowsOf, runsOf, runTitle } from "./runs.js";

export const name = "waterfall";
export const title = "Waterfall";
// live: the view follows the work, and is not shown again with a new answer.
export const live = true;
export const keys = [
  ["/", "filter the bars: words, status:404, status:5xx, verdict:absent, from:disk"],
  ["↑ ↓ Home End", "select a bar, in the list"],
  ["Esc", "empty the filter, in its field"],
];

export function show(root, app) {
  const narrow = matchMedia("(max-width: 700px)");
  const state = { run: 0, span: [0, 1], asked: new Map(), answer: -1 };
  const field = h("input", {
    type: "search", id: "waterfall-filter", placeholder: "words, status:404, verdict:found, from:disk", autocomplete: "off", spellcheck: "false",
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
  const told = h("div", { class: "message" });
  const details = h("section", { class: "details", "aria-label": "Details of the selected bar", tabindex: "0" }, facts, told, times);
  const stored = h("p", { class: "stored", hidden: true });
  const bars = list({
    items: [], label: "Requests, in the order of their beginning", row: draw, pick: () => { shown.facts = ""; detail(); },
    height: 26, same: (a, b) => a.id === b.id,
  });
  bars.classList.add("bars");
  root.append(
    h("div", { class: "toolbar" },
      h("label", { for: "waterfall-run" }, "Asked"), runs,
      h("button", { type: "button", id: "save-har", title: "the requests and answers so far, without secrets", onclick: () => location.assign("har") }, "Save as HAR"),
      h("label", { for: "waterfall-filter" }, "Filter"), field, count),
    stored, legend(),
    h("div", { class: "waterfall" }, h("div", { class: "chart" }, axis, bars), details),
  );

  // now is the time of the watch: that of the newest news, and the time since then.
  const seen = { at: performance.now(), ms: 0 };
  const now = () => seen.ms + performance.now() - seen.at;

  function draw(row) {
    return [
      h("span", { class: "what" + (row.depth ? " deeper" : "") }, row.label),
      h("span", { class: "verdict" }, row.verdict ? h("b", { class: toneOf(row) }, row.verdict) : null),
      h("span", { class: "status" }, row.status || row.note?.reason || row.error),
      h("span", { class: "from" }, row.from),
      h("span", { class: "took" }, row.begin === undefined ? "" : duration((row.end ?? now()) - row.begin)),
      row.begin === undefined ? h("span", { class: "lane" }) : kept(row) ? h("span", { class: "lane until" }, "no request; valid until " + soon(row.note.until)) : bar(row, state.span, now()),
    ];
  }

  function refill() {
    const all = runsOf(app.parts);
    showRuns(all);
    const run = all.find((r) => r.part.id === state.run) ?? all.at(-1);
    if (!run) {
      bars.show([], tall());
      count.textContent = "no request yet";
      for (const place of [facts, times, told]) place.replaceChildren();
      return;
    }
    const rows = rowsOf(run, app.parts, state.asked.get(run.part.id));
    const end = Math.max(...rows.map((r) => r.end ?? (r.begin === undefined ? 0 : now())), run.part.endMs ?? now());
    state.span = [run.part.beginMs, Math.max(end, run.part.beginMs + 0.1)];
    axis.replaceChildren(ruler(state.span));
    const filter = parse(field.value);
    const left = filtered(rows, filter);
    const probes = rows.filter((r) => !r.heading).length;
    const some = left.filter((r) => !r.heading).length;
    count.textContent = filter.fault || (filter.empty ? probes + (probes === 1 ? " bar" : " bars") : some + " of " + probes);
    stored.hidden = run.part.kind !== "resolve" || run.part.endMs === undefined || rows.some((r) => r.exchange) || !rows.some((r) => r.from);
    stored.textContent = "No request was sent: each answer is stored, and still valid. \u201cAsk again\u201d sends requests.";
    bars.show(left, tall());
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

  // The facts are told to a reader of screens, once each; the times grow. A message comes when its
  // exchange has ended.
  const shown = { facts: "", message: "", turn: 0 };
  function detail() {
    const row = bars.selected();
    times.replaceChildren(row && row.begin !== undefined && !kept(row) ? stages(row, now()) : "");
    const text = JSON.stringify(row ?? null);
    if (text === shown.facts) return;
    shown.facts = text;
    facts.replaceChildren(...(row ? about(row) : [h("p", { class: "quiet" }, "No bar is selected.")]));
    const part = row?.exchange?.endMs === undefined ? 0 : row.exchange.id;
    const wanted = row?.url && (part || !row.exchange) && row.end !== undefined ? part + " " + row.url + " " + app.state.answer : "";
    if (wanted !== shown.message) load(wanted, part, row);
  }

  async function load(wanted, part, row) {
    shown.message = wanted;
    const turn = ++shown.turn;
    const m = wanted ? await get("waterfall/message", { part, url: row.url }).catch((error) => ({ note: error.message })) : null;
    if (turn === shown.turn) fill(told, m ? message(m) : null);
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

// filtered keeps the rows that a filter finds, and the headings of those.
function filtered(rows, filter) {
  const found = [];
  let heading = null;
  for (const row of rows) {
    if (row.heading) {
      heading = row;
      continue;
    }
    if (!filter.test(row)) continue;
    if (heading) found.push(heading);
    heading = null;
    found.push(row);
  }
  return found;
}

// soon is a time of the server: without its date if that is today.
const soon = (time) => (time.slice(0, 10) === new Date().toISOString().slice(0, 10) ? time.slice(11, 19) : time.slice(0, 10));

// kept says whether a row is an answer that was stored before.
const kept = (row) => Boolean(!row.exchange && row.note?.since && row.note.until);

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
    ["Why a request was sent", note?.why],
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
