// The frame of the page: the state of the answer, the tabs, and the keys.

import { h } from "./dom.js";
import { post } from "./ask.js";
import * as waterfall from "./waterfall.js";
import * as site from "./site.js";
import * as tools from "./tools.js";
import * as call from "./call.js";
import * as compare from "./compare.js";

// A view has a name, a title, and show(root, app), which fills root and may return a
// function that ends it. It is shown again with each new answer, unless it says live. Its
// keys, where it has some, are pairs of a key and its effect for the help.
// A log has the requests alone.
const log = document.body.hasAttribute("data-log");
const views = log ? [waterfall] : [waterfall, site, tools, call, compare];

const root = document.getElementById("view");
const tabs = document.getElementById("tabs");
const status = document.getElementById("state");
const again = document.getElementById("again");
const help = document.getElementById("help");

// app is what a view may use beside the page's own URLs.
const app = {
  state: { asking: false, answer: 0 },
  // parts of the work by ID, in the order of their beginning.
  parts: new Map(),
  // selected is kept between views: the name of a tool.
  selected: "",
  // onparts is called when parts have changed, onstate when the state has.
  onparts: null,
  onstate: null,
  open,
};

let shown = null;
let end = null;
let drawn = 0;
// free is true until the reader has chosen a view.
let free = location.hash === "";

function open(name, byReader = true) {
  if (byReader) free = false;
  const view = views.find((v) => v.name === name) ?? views[0];
  shown = view;
  if (location.hash !== "#" + view.name) history.replaceState(null, "", "#" + view.name);
  for (const tab of tabs.children) {
    const is = tab.dataset.view === view.name;
    tab.setAttribute("aria-selected", String(is));
    tab.tabIndex = is ? 0 : -1;
    if (is && (root.contains(document.activeElement) || tabs.contains(document.activeElement))) tab.focus();
  }
  root.setAttribute("aria-labelledby", "tab-" + view.name);
  draw();
}

async function draw() {
  const mine = ++drawn;
  const focused = root.contains(document.activeElement);
  end?.();
  end = null;
  app.onparts = app.onstate = null;
  const place = h("div", { class: "content" });
  root.replaceChildren(place);
  if (focused) root.focus();
  root.setAttribute("aria-busy", "true");
  let ended = null;
  try {
    ended = (await shown.show(place, app)) ?? null;
  } catch (error) {
    place.append(h("p", { class: "error", role: "alert" }, error.message));
  }
  if (mine !== drawn) {
    ended?.(); // another view was opened meanwhile
    return;
  }
  end = ended;
  root.setAttribute("aria-busy", "false");
}

views.forEach((view, i) => {
  tabs.append(h("button", {
    type: "button", role: "tab", id: "tab-" + view.name, "data-view": view.name, "aria-controls": "view",
    onclick: () => open(view.name),
  }, view.title, " ", h("kbd", null, i + 1)));
});

tabs.addEventListener("keydown", (event) => {
  const at = [...tabs.children].indexOf(document.activeElement);
  const count = tabs.children.length;
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + count, Home: 0, End: count - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  const next = tabs.children[to % count];
  next.focus();
  next.click();
});

addEventListener("hashchange", () => open(location.hash.slice(1)));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    document.getElementById("tab-" + shown.name).focus();
    return;
  }
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  if (event.key >= "1" && event.key <= String(views.length)) open(views[event.key - 1].name);
  else if (event.key === "r") again.click();
  else if (event.key === "?") showHelp();
  else if (event.key === "/") {
    const field = root.querySelector("input[type=search]");
    if (!field) return;
    event.preventDefault();
    field.focus();
  }
});

function showHelp() {
  const table = (caption, keys) => h("table", { class: "keys" },
    h("caption", null, caption),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Key"), h("th", { scope: "col" }, "Effect"))),
    h("tbody", null, keys.map(([key, words]) => h("tr", null, h("td", null, key.split(" ").map((k) => [h("kbd", null, k), " "])), h("td", null, words)))));
  help.replaceChildren(
    h("h2", { id: "help-title" }, "Keys"),
    table("Everywhere", [
      ["1…" + views.length, "open a view, the first to the last"], ["← →", "open the view beside, among the tabs"], ["r", "ask the site again"],
      ["/", "go to the search field"], ["Esc", "go back to the tabs"], ["Tab", "go to the next control"], ["?", "show these keys"],
    ]),
    ...views.filter((view) => view.keys).map((view) => table(view.title, view.keys)),
    h("button", { type: "button", autofocus: true, onclick: () => help.close() }, "Close"),
  );
  help.showModal();
}
document.getElementById("keys").addEventListener("click", showHelp);

// ask asks the site; a failure of that is the state of the page.
async function ask(refresh) {
  try {
    await post("ask", { refresh });
  } catch (error) {
    say("the site could not be asked: " + error.message, "bad");
  }
}
again.addEventListener("click", () => ask(true));

function say(words, tone) {
  if (status.textContent !== words) status.textContent = words;
  status.className = tone;
}

const words = (state) => {
  if (log && state.error) return [state.error, "bad"];
  if (log) return document.body.dataset.log === "live" ? ["live: requests appear as they are sent", "good"] : ["a log: nothing is asked", ""];
  if (state.asking) return ["asking", "warn"];
  if (state.answer === 0) return state.error ? ["no answer: " + state.error, "bad"] : ["not asked yet", ""];
  const times = state.answer === 1 ? "" : " " + state.answer + " times";
  return state.error ? ["answered" + times + ", with an error: " + state.error, "bad"] : ["answered" + times, "good"];
};

// onState takes the state of the answer.
function onState(event) {
  const before = app.state;
  app.state = JSON.parse(event.data);
  say(...words(app.state));
  again.disabled = app.state.asking;
  if (log) return;
  if (!app.state.asking && app.state.answer === 0 && !app.state.error) ask(false);
  const changed = before.answer !== app.state.answer || before.error !== app.state.error;
  if (before.answer === 0 && app.state.answer > 0 && !app.state.error && free && ![...app.parts.values()].some((part) => part.kind === "exchange")) {
    open("site", false); // the answer was stored: there are no requests to look at
    return;
  }
  if (changed && shown && !shown.live) draw();
  app.onstate?.();
}

// onParts takes the parts of the work that have changed.
function onParts(event) {
  const parts = JSON.parse(event.data) ?? [];
  for (const part of parts) app.parts.set(part.id, part);
  if (parts.length > 0) app.onparts?.(parts);
}

// The browser connects again by itself, with the number of the changes it has seen. It
// gives up when the server refuses: then it is another server. A tab in the background
// follows nothing: a browser has six connections for all tabs of a server.
let events = null;
function follow() {
  if (document.hidden) {
    events?.close();
    events = null;
    return;
  }
  if (events) return;
  const own = events = new EventSource("events");
  own.addEventListener("state", onState);
  own.addEventListener("parts", onParts);
  own.addEventListener("error", () => {
    again.disabled = true;
    if (own.readyState === EventSource.CLOSED) say("wayfind has ended; its next launch has another address", "bad");
    else say("wayfind cannot be reached; trying again", "bad");
  });
}
document.addEventListener("visibilitychange", follow);
follow();

again.hidden = log;
open(location.hash.slice(1) || views[0].name, false);
