// The frame of the page: the state of the answer, the tabs, and the keys.

import { h } from "./dom.js";
import { post } from "./ask.js";
import * as waterfall from "./waterfall.js";
import * as site from "./site.js";
import * as tools from "./tools.js";
import * as call from "./call.js";
import * as compare from "./compare.js";

// A view has a name, a title, and show(root, app), which fills root and may return a
// function that ends it. It is shown again with each new answer, unless it says live.
const views = [waterfall, site, tools, call, compare];

const root = document.getElementById("view");
const tabs = document.getElementById("tabs");
const status = document.getElementById("state");
const again = document.getElementById("again");

// app is what a view may use beside the page's own URLs.
const app = {
  state: { asking: false, answer: 0 },
  // parts of the work by ID, in the order of their beginning.
  parts: new Map(),
  // selected is kept between views: the name of a tool.
  selected: "",
  // onparts is called when parts have changed.
  onparts: null,
  open,
};

let shown = null;
let end = null;

function open(name) {
  const view = views.find((v) => v.name === name) ?? views[0];
  shown = view;
  if (location.hash !== "#" + view.name) history.replaceState(null, "", "#" + view.name);
  for (const tab of tabs.children) {
    const is = tab.dataset.view === view.name;
    tab.setAttribute("aria-selected", String(is));
    tab.tabIndex = is ? 0 : -1;
  }
  draw();
}

async function draw() {
  end?.();
  end = null;
  app.onparts = null;
  const place = h("div", { class: "content" });
  root.replaceChildren(place);
  root.setAttribute("aria-busy", "true");
  try {
    end = (await shown.show(place, app)) ?? null;
  } catch (error) {
    place.append(h("p", { class: "error", role: "alert" }, error.message));
  }
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
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (at < 0 || !step) return;
  const next = tabs.children[(at + step + tabs.children.length) % tabs.children.length];
  next.focus();
  next.click();
});

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key >= "1" && event.key <= String(views.length)) open(views[event.key - 1].name);
  else if (event.key === "r") again.click();
  else if (event.key === "/") {
    const field = root.querySelector("input[type=search]");
    if (!field) return;
    event.preventDefault();
    field.focus();
  }
});

again.addEventListener("click", () => post("ask", { refresh: true }));

const words = (state) => {
  if (state.asking) return "asking";
  if (state.answer === 0) return state.error ? "no answer: " + state.error : "not asked yet";
  return state.error ? "answered, with an error: " + state.error : "answered";
};

const events = new EventSource("events");
events.addEventListener("state", (event) => {
  const before = app.state;
  app.state = JSON.parse(event.data);
  status.textContent = words(app.state);
  again.disabled = app.state.asking;
  if (!app.state.asking && app.state.answer === 0 && !app.state.error) post("ask", { refresh: false });
  const changed = before.answer !== app.state.answer || before.error !== app.state.error;
  if (changed && shown && !shown.live) draw();
});
events.addEventListener("parts", (event) => {
  const parts = JSON.parse(event.data) ?? [];
  for (const part of parts) app.parts.set(part.id, part);
  if (parts.length > 0) app.onparts?.(parts);
});
events.addEventListener("error", () => {
  status.textContent = "wayfind has ended, or cannot be reached";
});

open(location.hash.slice(1) || views[0].name);

