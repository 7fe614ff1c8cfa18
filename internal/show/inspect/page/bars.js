// Bars of the waterfall, with a segment for each stage. A segment has a height and a
// pattern of its own, so that the stages differ without their colours.

import { h, duration } from "./dom.js";

// names of the stages, in their order, and their words.
const names = {
  queue: "waiting for a connection",
  dns: "DNS",
  connect: "connect",
  tls: "TLS",
  wait: "waiting for the answer",
  read: "reading the body",
  parse: "parse",
  "under way": "under way",
};

const kind = (name) => "segment " + name.replace(" ", "-");

// bar is the drawing of one row. Its words are beside it, so it is hidden from readers.
export function bar(row, [from, to], now) {
  const lane = h("span", { class: "lane", "aria-hidden": "true" });
  const put = (name, begin, end) => {
    const piece = h("i", { class: name });
    piece.style.left = (100 * (begin - from)) / (to - from) + "%";
    piece.style.width = `max(2px, ${(100 * (end - begin)) / (to - from)}%)`;
    lane.append(piece);
  };
  put(row.heading ? "extent group" : "extent", row.begin, row.end ?? now);
  for (const s of row.segments ?? []) put(kind(s.name), s.begin, s.end ?? now);
  return lane;
}

// ruler are the ticks of the time axis.
export function ruler([from, to]) {
  const step = niceStep((to - from) / 4);
  const ticks = [];
  for (let at = 0; at < 0.9 * (to - from); at += step) { // the words of one need room
    const tick = h("span", { class: "tick" }, at === 0 ? "0" : duration(at));
    tick.style.left = (100 * at) / (to - from) + "%";
    ticks.push(tick);
  }
  return h("div", { class: "ticks" }, ticks);
}

function niceStep(raw) {
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw) ?? 10 * power;
}

// legend names the segments.
export function legend() {
  return h("p", { class: "legend" }, Object.entries(names).map(([name, words]) =>
    h("span", null, h("i", { class: kind(name), "aria-hidden": "true" }), words)));
}

// stages are the times of a row as a table.
export function stages(row, now) {
  const rows = (row.segments ?? []).map((s) => [names[s.name], s.end === undefined ? now - s.begin : s.end - s.begin]);
  const whole = (row.end ?? now) - row.begin;
  const known = rows.reduce((sum, [, ms]) => sum + ms, 0);
  if (rows.length > 0 && whole - known > 0.05) rows.push(["besides: turn, pause, store", whole - known]);
  rows.push(["all", whole]);
  return h("table", { class: "stages" },
    h("caption", null, "Time of each stage"),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Stage"), h("th", { scope: "col" }, "Time"))),
    h("tbody", null, rows.map(([words, ms]) => h("tr", null, h("th", { scope: "row" }, words), h("td", null, duration(Math.max(0, ms)))))));
}
