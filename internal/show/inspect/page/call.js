// The view Call: the arguments of a tool, the request that they make, and the answer.
// A request is sent only after its preview, and where a person must agree, with the
// ticket of the preview.

import { h, foreign, address, copier } from "./dom.js";
import { get, post } from "./ask.js";
import { Form, parse } from "./form.js";
import { body, headers } from "./message.js";
import { facts, fill } from "./parts.js";

export const name = "call";
export const title = "Call";
export const keys = [["Enter", "preview the request, in a field of one line"], ["Esc", "do not send, in the question"]];

// drafts are the arguments that were written, by tool, kept between views. newest is the
// View that is shown, and last the result of the last call with its tool: a call goes on
// while the reader looks at another view.
const drafts = new Map();
let newest = null;
let last = null;
let vendor = "openai";

export async function show(root, app) {
  root.classList.add("calls");
  if (app.state.asking || app.state.answer === 0 && !app.state.error) {
    root.append(h("p", { class: "quiet" }, "There is nothing to call before there is an answer."));
    return;
  }
  const waiting = h("p", { class: "quiet", role: "status" }, "Reading the contracts …");
  root.append(waiting);
  const loaded = await post("tools/load", {});
  waiting.remove();
  if (loaded.tools.length === 0) {
    root.append(h("p", null, "No capability of this site has become a tool; the view Tools says why."));
    return;
  }
  await new View(root, app, loaded).start();
}

class View {
  constructor(root, app, loaded) {
    Object.assign(this, { root, app, loaded });
    this.about = h("div", { id: "about" });
    this.arguments = h("div", { class: "sides" });
    this.request = h("section", { id: "request", "aria-label": "Request" });
    this.outcome = h("section", { id: "outcome", "aria-label": "Result" });
    this.dialog = h("dialog", { id: "confirm", "aria-labelledby": "confirm-title" });
    this.history = h("section", { id: "history", "aria-label": "Calls of this session" });
    this.busy = h("p", { role: "status", class: "quiet", id: "busy" });
  }

  start() {
    newest = this;
    const tool = this.chooser = h("select", { id: "tool", onchange: () => this.open(tool.value) }, this.options());
    const known = this.loaded.tools.find((t) => t.name === this.app.selected) ?? this.loaded.tools[0];
    tool.value = known.name;
    this.preview = h("button", { type: "submit", id: "preview" }, "Preview the request");
    this.root.append(
      h("form", { onsubmit: (event) => { event.preventDefault(); this.ask(); } },
        h("p", { class: "controls" }, h("label", { for: "tool" }, "Tool"), tool),
        this.about, this.arguments,
        h("p", { class: "controls" }, this.preview, h("span", { class: "quiet" }, "A preview sends nothing."))),
      this.busy, this.request, this.outcome, this.history, this.dialog);
    this.past();
    return this.open(known.name);
  }

  // options are the tools, with a heading for each sort where there are several.
  options() {
    const titles = { tool: "Tools", agent: "Agents", prompt: "Prompts", resource: "Resources" };
    const option = (t) => h("option", { value: t.name }, t.name);
    const sorts = [...new Set(this.loaded.tools.map((t) => t.sort))];
    if (sorts.length < 2) return this.loaded.tools.map(option);
    return sorts.map((sort) => h("optgroup", { label: titles[sort] ?? sort }, this.loaded.tools.filter((t) => t.sort === sort).map(option)));
  }

  // past lists the calls of the session.
  async past() {
    const calls = await get("call/history");
    fill(this.history, calls.length === 0 ? null : [
      h("h2", null, "Calls of this session"),
      h("table", { id: "calls" },
        h("thead", null, h("tr", null, ["Time", "Tool", "Result", ""].map((words) => h("th", { scope: "col" }, words)))),
        h("tbody", null, calls.map((c) => h("tr", null,
          h("td", null, c.at.slice(11, 19) + " UTC"), h("th", { scope: "row" }, foreign(c.tool)), h("td", { class: c.failed ? "bad" : "good" }, c.result),
          h("td", null, h("button", { type: "button", "aria-label": "Show the call of " + c.at.slice(11, 19) + ": " + c.tool, onclick: () => this.reopen(c.number) }, "Show")))))),
    ]);
  }

  // reopen shows a call of the session again: its arguments, to be sent once more or changed, and
  // its result.
  reopen(number) {
    return this.working("Reading the call …", async () => {
      const made = await get("call/made", { number });
      if (!this.loaded.tools.some((t) => t.name === made.tool)) throw new Error("the newest answer has no tool " + made.tool);
      drafts.set(made.tool, made.arguments);
      last = { tool: made.tool, outcome: made.outcome };
      this.chooser.value = made.tool;
      await this.open(made.tool);
      this.outcome.querySelector("h2").focus();
    });
  }

  async open(name) {
    this.app.selected = name;
    const form = await get("call/form", { name });
    if (this.app.selected !== name) return;
    this.form = form;
    fill(this.about,
      form.description ? h("p", { class: "told" }, foreign(form.description)) : null,
      facts(
        ["Capability", foreign(form.key)], ["Call", foreign(form.call)], ["Effects", form.effects && foreign(form.effects)],
        ["Price", form.price ? [foreign(form.price), ", as the site says"] : null],
        ["Authentication", form.auth ? foreign(form.auth) : "the site names none"],
        ["Credential", this.needs()]));
    this.edit();
    fill(this.request);
    fill(this.outcome);
    if (last?.tool === name) this.answered(last.outcome);
    this.about.dataset.tool = name;
  }

  // needs says how the credentials are given: by flags, never on this page.
  needs() {
    const list = this.form.needs.filter((need) => need.flag);
    return list.map((need, i) => h("div", null,
      i > 0 && need.alternative !== list[i - 1].alternative ? "or " : i > 0 ? "and " : "", foreign(need.scheme), " (", foreign(need.text), "): start wayfind inspect with ", h("code", { class: "code" }, foreign(need.flag))));
  }

  // edit shows the form and the JSON, each in step with the other.
  edit() {
    const schema = parse(this.form.schema);
    const told = h("p", { role: "alert", class: "bad", id: "arguments-error" });
    const raw = h("textarea", {
      id: "arguments", rows: 10, class: "code", spellcheck: "false", "aria-describedby": "arguments-error",
      oninput: () => {
        this.keep(raw.value);
        try {
          const value = parse(raw.value.trim() || "{}");
          if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("arguments are an object");
          fields.show(value);
          told.textContent = "";
          fields.element.inert = false;
        } catch (error) {
          told.textContent = "The form waits for JSON that it can show: " + error.message;
          fields.element.inert = true;
        }
      },
    });
    const fields = new Form(schema, (value) => {
      raw.value = JSON.stringify(value, null, 2);
      this.keep(raw.value);
    });
    raw.value = drafts.get(this.form.name) ?? JSON.stringify(fields.value, null, 2);
    this.raw = raw;
    fill(this.arguments,
      h("div", null, h("h2", null, "Arguments"), fields.element),
      h("div", null, h("h2", null, h("label", { for: "arguments" }, "The same as JSON")), raw, told));
    raw.dispatchEvent(new Event("input"));
  }

  // keep keeps arguments that were written; a preview of others no longer counts.
  keep(text) {
    drafts.set(this.form.name, text);
    if (this.shown !== undefined && text !== this.shown) {
      this.shown = undefined;
      fill(this.request, h("p", { class: "quiet" }, "The arguments have changed: preview the request again."));
      fill(this.outcome);
    }
  }

  async working(words, work) {
    this.busy.textContent = words;
    this.preview.disabled = true;
    try {
      await work();
    } catch (error) {
      fill(this.outcome, h("p", { class: "error", role: "alert" }, error.message));
    } finally {
      this.busy.textContent = "";
      this.preview.disabled = false;
    }
  }

  input() {
    return { tool: this.form.name, arguments: this.raw.value.trim() || "{}" };
  }

  ask() {
    return this.working("Writing the request …", async () => {
      const input = this.input();
      const text = this.raw.value;
      const preview = await post("call/preview", input);
      if (this.form.name !== input.tool) return; // another tool was chosen meanwhile
      last = null;
      this.shown = text;
      fill(this.outcome);
      if (this.raw.value !== text) {
        this.keep(this.raw.value);
        return;
      }
      fill(this.request, preview.refusal ? this.refused(preview.refusal, "No request can be made") : null, preview.request ? this.previewed(input, preview) : null);
      this.request.querySelector("h2").focus();
    });
  }

  refused(refusal, words) {
    return [
      h("h2", { tabindex: "-1", class: "bad" }, words + ": " + refusal.code.replaceAll("_", " ")),
      h("p", { role: "alert" }, refusal.sentence, refusal.detail ? " (" + refusal.detail + ")" : ""),
      refusal.cause ? h("p", { class: "told", id: "cause" }, foreign(refusal.cause)) : null,
      refusal.code === "credential_missing" ? this.needs() : null,
    ];
  }

  previewed(input, p) {
    const send = h("button", { type: "button", id: "send", onclick: () => (p.ticket ? this.confirm(input, p) : this.send(input)) }, "Send this request" + (p.ticket ? " …" : ""));
    return [
      h(p.refusal ? "h3" : "h2", { tabindex: "-1" }, p.refusal ? "The request as it would be with the credential" : "The request, not sent yet"),
      this.message(p.request, !p.refusal),
      h("h3", null, "Decision: " + p.decision.replaceAll("_", " ")),
      h("p", { id: "decision" }, p.means, p.reasons?.length > 0 ? ", because " + p.reasons.join("; ") : "", "."),
      p.unplaced?.length > 0 ? h("p", { class: "warn" }, "Not sent, since the contract has no place for them: ", p.unplaced.map((name, i) => [i > 0 ? ", " : "", foreign(name)])) : null,
      p.dependsOn?.length > 0 ? h("p", { class: "warn" }, "To be called before, as the site says: ", p.dependsOn.map((key, i) => [i > 0 ? ", " : "", foreign(key)])) : null,
      p.unsendable ? h("p", { class: "warn" }, p.unsendable) : h("p", { class: "controls" }, send, p.ticket ? h("span", { class: "quiet" }, "You are asked first. The preview counts until " + new Date(p.until).toLocaleTimeString("en-GB") + ", and once.") : null),
      this.copies(p),
    ];
  }

  // message shows a request.
  message(r, there = true) {
    return [
      h("p", { id: "line" }, h("b", null, foreign(r.method)), " ", address(r.url)),
      headers(r.header, "Header of the request"),
      r.body ? body(r.body, "Body of the request") : h("p", { class: "quiet" }, "no body"),
      r.credentials?.map((c) => h("p", null, "Credential ", foreign(c.scheme), " in ", foreign(c.in), c.name ? [" ", foreign(c.name)] : null, " for ", address(c.origin), " (proof: " + c.proof.replaceAll("_", " ") + "); " + (there ? "its value is not shown." : "it is not there, and dots stand for it."))),
    ];
  }

  copies(p) {
    const code = h("pre", { class: "foreign code", tabindex: "0", id: "vendor-call", "aria-label": "Call as the model writes it" });
    const draw = () => {
      const c = p.vendors.find((v) => v.vendor === vendor);
      code.textContent = c?.json ?? "There is none: " + (c?.why ?? "");
    };
    const choose = h("select", { id: "call-vendor", onchange: () => { vendor = choose.value; draw(); } }, p.vendors.map((v) => h("option", { value: v.vendor, selected: v.vendor === vendor }, v.vendor)));
    draw();
    return h("details", { id: "copies" }, h("summary", null, "Copy it as curl, as Go, or as a model writes it"),
      h("h3", null, "curl ", copier(p.curl, "Copy curl")), h("pre", { class: "foreign code", tabindex: "0", id: "curl", "aria-label": "curl" }, p.curl),
      h("h3", null, "Go ", copier(p.go, "Copy Go")), h("pre", { class: "foreign code", tabindex: "0", id: "go", "aria-label": "Go" }, p.go),
      h("h3", null, h("label", { for: "call-vendor" }, "As the model of "), choose, " writes it ", copier(() => code.textContent, "Copy JSON")), code);
  }

  // confirm shows the question. Nothing is sent but by its button.
  confirm(input, p) {
    const end = (yes) => {
      this.dialog.close();
      if (yes) this.send({ ...input, ticket: p.ticket });
    };
    const no = h("button", { type: "button", id: "confirm-no", autofocus: true, onclick: () => end(false) }, "Do not send");
    fill(this.dialog,
      h("h2", { id: "confirm-title" }, "Send this request?"),
      h("p", null, "The call ", foreign(this.form.key), " of ", foreign(this.form.domain), p.reasons?.length > 0 ? ". You are asked, because" : "."),
      p.reasons?.length > 0 ? h("ul", null, p.reasons.map((reason) => h("li", null, reason))) : null,
      this.form.price ? h("p", { class: "warn" }, "Price, as the site says: ", foreign(this.form.price)) : null,
      this.message(p.request),
      h("p", { class: "controls" }, no, h("button", { type: "button", id: "confirm-yes", onclick: () => end(true) }, "Send it once")));
    for (const twin of this.dialog.querySelectorAll("#line")) twin.removeAttribute("id");
    this.dialog.showModal();
  }

  send(input) {
    return this.working("Sending the request …", async () => {
      this.shown = this.raw.value;
      this.result(input.tool, await post("call/send", input));
    });
  }

  // result keeps the result of a call, and shows it where its tool is shown.
  result(tool, outcome) {
    last = { tool, outcome };
    newest.past();
    if (newest.form?.name !== tool) return;
    newest.answered(outcome);
    newest.outcome.querySelector("h2").focus();
  }

  answered(o) {
    const tool = this.form.name;
    const wait = o.work ? h("p", { class: "controls" }, h("button", {
      type: "button", id: "wait",
      onclick: () => this.working("Waiting for the work …", async () => this.result(tool, await post("call/wait", { work: o.work }))),
    }, "Wait for it"), "The work goes on.") : null;
    fill(this.outcome,
      o.refusal ? this.refused(o.refusal, o.attempts ? "The call did not succeed" : "The call was not made") : h("h2", { tabindex: "-1", class: "good" }, "The call was made"),
      wait,
      o.diagnostics?.map((d) => h("p", { class: "warn" }, d.code + ": ", foreign(d.message))),
      h("div", { class: "sides" },
        h("div", null, h("h3", null, "As the model sees it ", copier(o.prompt)), h("pre", { class: "foreign code", tabindex: "0", id: "prompt", "aria-label": "Result for the model" }, o.prompt)),
        h("div", { id: "came" }, h("h3", null, "As it came"),
          o.status ? [
            h("p", null, "Status ", h("b", null, o.status + " " + (o.phrase ?? "")), o.attempts > 1 ? ", after " + o.attempts + " requests" : ""),
            headers(o.header, "Header of the answer"),
            o.body ? body(o.body, "Body of the answer") : h("p", { class: "quiet" }, "no body"),
          ] : h("p", null, "No answer came."))),
      o.request ? h("details", null, h("summary", null, "The request that was sent"), this.message(o.request)) : null,
      o.key ? h("p", { class: "quiet" }, "Its idempotency key was ", foreign(o.key)) : null);
  }
}
