// A form from a JSON Schema, 2020-12. It says the common things; the JSON beside it says
// the rest. Names and values are data of strangers: no object of ours is read by them
// but through own properties.

import { h, foreign } from "./dom.js";

// parse reads JSON and keeps numbers that JavaScript would change.
export function parse(text) {
  return JSON.parse(text, (key, value, context) =>
    typeof value === "number" && context?.source !== undefined && String(value) !== context.source && JSON.rawJSON ? JSON.rawJSON(context.source) : value);
}

const isRaw = (value) => JSON.isRawJSON?.(value) === true;
const isNumber = (value) => typeof value === "number" || isRaw(value);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !isRaw(value);
const own = (object, key) => (isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined);

function put(object, key, value) {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

const isEqual = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// Bounds of a form: rows of an object, values of a list, hops of references, and how deep
// objects are shown without a key press, and at all.
const rowsAtOnce = 50;
const choicesAtOnce = 500;
const mostHops = 20;
const deepAtOnce = 4;
const mostDeep = 30;

// Form edits a value by a schema. changed(value) is called with each change of the user.
export class Form {
  constructor(schema, changed) {
    this.root = schema;
    this.changed = changed;
    this.element = h("div", { class: "form", id: "form" });
    this.rows = new Map(); // how many rows of an object are shown, by pointer
    this.branches = new Map(); // the alternative that was chosen, by pointer
    this.words = new Map(); // the filter of an object's properties, by pointer
    this.value = this.first(schema, 0) ?? {};
  }

  // show draws the form for a value that was written elsewhere.
  show(value) {
    this.value = value;
    this.draw();
  }

  draw(focus = document.activeElement?.id) {
    const before = document.activeElement?.id;
    this.element.replaceChildren(this.node(this.root, this.value, "", (value, focus) => this.set(value, focus), 0));
    const field = focus ? document.getElementById(focus) : null;
    field?.focus();
    if (field !== null && field.id !== before) field.select?.(); // what is typed takes the place of its content
  }

  // set takes a change. With null for the focus the control shows it already; else the
  // form is drawn again, and the control of that ID gets the focus.
  set(value, focus) {
    this.value = value ?? {};
    if (focus !== null) this.draw(focus);
    this.changed(this.value);
  }

  // plain is a schema without references and merged from its parts.
  plain(schema, hops = 0) {
    if (!isObject(schema)) return {};
    if (Array.isArray(schema.type) && schema.type.length === 1) schema = { ...schema, type: schema.type[0] };
    const ref = own(schema, "$ref");
    if (typeof ref === "string" && hops < mostHops) {
      const { $ref, ...rest } = schema;
      return this.merged(this.plain(this.target(ref), hops + 1), rest);
    }
    const all = own(schema, "allOf");
    if (!Array.isArray(all) || hops >= mostHops) return schema;
    const { allOf, ...rest } = schema;
    return all.slice(0, mostHops).reduce((whole, part) => this.merged(whole, this.plain(part, hops + 1)), rest);
  }

  target(ref) {
    if (!ref.startsWith("#")) return undefined;
    let at = this.root;
    for (const token of ref.slice(1).split("/").slice(1)) {
      const key = unescaped(token);
      at = Array.isArray(at) ? at[Number(key)] : own(at, key);
    }
    return at;
  }

  merged(a, b) {
    const out = { ...a, ...b };
    if (a.properties || b.properties) out.properties = { ...a.properties, ...b.properties };
    if (a.required || b.required) out.required = [...new Set([...(a.required ?? []), ...(b.required ?? [])])];
    return out;
  }

  // alternatives are the schemas of which one is chosen; null for none.
  alternatives(schema) {
    for (const word of ["oneOf", "anyOf"]) {
      const list = own(schema, word);
      if (!Array.isArray(list) || list.length === 0) continue;
      const { [word]: gone, ...rest } = schema;
      return list.slice(0, choicesAtOnce).map((branch) => this.merged(rest, this.plain(branch)));
    }
    const types = own(schema, "type");
    if (Array.isArray(types) && types.length > 1) return types.map((type) => ({ ...schema, type }));
    return null;
  }

  // fits says roughly whether a value is of a schema.
  fits(schema, value) {
    schema = this.plain(schema);
    if (Object.hasOwn(schema, "const")) return isEqual(schema.const, value);
    if (Array.isArray(schema.enum)) return schema.enum.some((v) => isEqual(v, value));
    const is = { object: isObject(value), array: Array.isArray(value), string: typeof value === "string", boolean: typeof value === "boolean", number: isNumber(value), integer: isNumber(value), null: value === null };
    const types = [schema.type ?? (schema.properties ? "object" : [])].flat();
    if (types.length > 0 && !types.some((type) => is[type])) return false;
    if (!isObject(value)) return true;
    if ((schema.required ?? []).some((key) => !Object.hasOwn(value, key))) return false;
    return Object.entries(schema.properties ?? {}).slice(0, rowsAtOnce).every(([key, s]) => !Object.hasOwn(value, key) || !Object.hasOwn(this.plain(s), "const") || isEqual(this.plain(s).const, value[key]));
  }

  // first is the value that a schema begins with; undefined: there is none yet.
  first(schema, depth) {
    schema = this.plain(schema);
    if (Object.hasOwn(schema, "const")) return structuredCloneOf(schema.const);
    if (Object.hasOwn(schema, "default")) return structuredCloneOf(schema.default);
    const branches = this.alternatives(schema);
    if (branches && depth < deepAtOnce) return this.first(branches[0], depth + 1);
    if (schema.type === "object" || schema.properties) {
      const value = {};
      if (depth >= deepAtOnce) return value;
      for (const key of (schema.required ?? []).slice(0, rowsAtOnce)) {
        const inner = this.first(own(schema.properties, key) ?? {}, depth + 1);
        if (inner !== undefined) put(value, key, inner);
      }
      return value;
    }
    if (schema.type === "array") return [];
    if (schema.type === "null") return null;
    return undefined;
  }

  // node is the control of one value. set(value, focus) is for changes of the form's own
  // shape, and undefined takes the value away.
  node(schema, value, at, set, depth) {
    if (depth > mostDeep) return this.json(value, at, set);
    schema = this.plain(schema);
    const branches = this.alternatives(schema);
    if (branches) return this.choice(branches, value, at, set, depth);
    if (Object.hasOwn(schema, "const")) return this.fixed(schema.const, value, at, set);
    if (Array.isArray(schema.enum)) return this.listed(schema.enum, value, at, set);
    const type = schema.type ?? (schema.properties ? "object" : schema.items || schema.prefixItems ? "array" : "");
    if (type === "object" && (value === undefined || isObject(value))) return this.object(schema, value ?? {}, at, set, depth);
    if (type === "array" && (value === undefined || Array.isArray(value))) return this.array(schema, value ?? [], at, set, depth);
    if (type === "boolean" && (value === undefined || typeof value === "boolean")) return this.listed([true, false], value, at, set);
    if (type === "null") return this.fixed(null, value, at, set);
    if (type === "string" && (value === undefined || typeof value === "string")) return this.text(schema, value, at, set);
    if ((type === "number" || type === "integer") && (value === undefined || isNumber(value))) return this.number(schema, value, at, set);
    return this.json(value, at, set);
  }

  // id is that of a control. It is no name of ours, whatever the site's names are.
  id(at) {
    return "arg" + encodeURIComponent(at.toWellFormed()).replaceAll("%2F", "/");
  }

  text(schema, value, at, set) {
    const field = h("textarea", {
      id: this.id(at), rows: (schema.maxLength ?? 0) > 300 ? 4 : 1, spellcheck: "false", value: value ?? "", placeholder: value === "" ? "an empty text" : undefined,
      oninput: () => { set(field.value === "" ? undefined : field.value, null); },
    });
    return field;
  }

  number(schema, value, at, set) {
    const field = h("input", {
      id: this.id(at), type: "text", inputmode: schema.type === "integer" ? "numeric" : "decimal", value: value === undefined ? "" : JSON.stringify(value),
      oninput: () => {
        const text = field.value.trim();
        const good = text === "" || /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/.test(text);
        field.setAttribute("aria-invalid", String(!good));
        if (good) set(text === "" ? undefined : parse(text), null);
      },
    });
    return field;
  }

  listed(values, value, at, set) {
    const shown = values.slice(0, choicesAtOnce);
    const chosen = shown.findIndex((v) => isEqual(v, value));
    const field = h("select", {
      id: this.id(at),
      onchange: () => set(field.value === "" ? undefined : shown[Number(field.value)], null),
    },
      h("option", { value: "", selected: chosen < 0 }, value === undefined || chosen >= 0 ? "not given" : "another value: see the JSON"),
      shown.map((v, i) => h("option", { value: String(i), selected: i === chosen }, typeof v === "string" ? v : JSON.stringify(v))));
    return values.length > shown.length ? [field, h("p", { class: "quiet" }, values.length - shown.length + " more values: write them in the JSON.")] : field;
  }

  fixed(only, value, at, set) {
    const box = h("input", { type: "checkbox", id: this.id(at), checked: isEqual(only, value), onchange: () => set(box.checked ? only : undefined, null) });
    return h("label", { class: "check" }, box, "always ", foreign(JSON.stringify(only)));
  }

  // json is for values that the form has no other control for.
  json(value, at, set) {
    const field = h("textarea", {
      id: this.id(at), rows: 2, class: "code", spellcheck: "false", placeholder: "JSON", value: value === undefined ? "" : JSON.stringify(value, null, 2),
      oninput: () => {
        try {
          set(field.value.trim() === "" ? undefined : parse(field.value), null);
          field.setAttribute("aria-invalid", "false");
        } catch {
          field.setAttribute("aria-invalid", "true");
        }
      },
    });
    return field;
  }

  choice(branches, value, at, set, depth) {
    let chosen = this.branches.get(at);
    if (chosen === undefined || chosen >= branches.length || value !== undefined && !this.fits(branches[chosen], value)) {
      const found = branches.findIndex((branch) => value !== undefined && this.fits(branch, value));
      chosen = found >= 0 ? found : chosen ?? 0;
    }
    const id = this.id(at) + "-form";
    const field = h("select", {
      id, "aria-label": "Form of the value",
      onchange: () => {
        this.branches.set(at, Number(field.value));
        set(this.first(branches[Number(field.value)], depth), id);
      },
    }, branches.map((branch, i) => h("option", { value: String(i), selected: i === chosen }, this.named(branch, i))));
    return h("div", { class: "choice" }, field, this.node(branches[chosen], value, at, set, depth + 1));
  }

  // named is the name of a branch, in the publisher's words where there are any.
  named(branch, i) {
    const fixed = Object.entries(branch.properties ?? {}).slice(0, rowsAtOnce).map(([key, s]) => [key, this.plain(s)]).find(([, s]) => Object.hasOwn(s, "const"));
    const words = branch.title ?? (fixed ? fixed[0] + " " + JSON.stringify(fixed[1].const) : undefined) ?? (Object.hasOwn(branch, "const") ? JSON.stringify(branch.const) : undefined) ?? this.kind(branch);
    return "form " + (i + 1) + ": " + String(words).slice(0, 80);
  }

  kind(schema) {
    if (Array.isArray(schema.enum)) return "one of " + schema.enum.length;
    if (Object.hasOwn(schema, "const")) return "one value";
    const branches = this.alternatives(schema);
    if (branches) return "one of " + branches.length + " forms";
    const words = { string: "text", integer: "whole number", number: "number", boolean: "true or false", array: "list", object: "object", null: "null" };
    return words[schema.type] ?? (schema.properties ? "object" : "any value");
  }

  object(schema, value, at, set, depth) {
    const required = new Set(schema.required ?? []);
    const declared = Object.keys(schema.properties ?? {});
    const filter = this.words.get(at) ?? "";
    const keys = [...declared.filter((key) => required.has(key)), ...declared.filter((key) => !required.has(key))]
      .concat(Object.keys(value).filter((key) => !Object.hasOwn(schema.properties ?? {}, key)));
    const found = filter ? keys.filter((key) => key.toLowerCase().includes(filter.toLowerCase())) : keys;
    const most = this.rows.get(at) ?? rowsAtOnce;
    const change = (key) => (next, focus) => {
      const whole = {};
      for (const k of Object.keys(value)) if (k !== key) put(whole, k, value[k]);
      if (next !== undefined) put(whole, key, next);
      if (focus === null) { // the control itself shows the change already
        for (const k of Object.keys(value)) delete value[k];
        for (const k of Object.keys(whole)) put(value, k, whole[k]);
        set(value, null);
      } else set(whole, focus);
    };
    const rows = found.slice(0, most).map((key) => this.row(own(schema.properties, key) ?? (isObject(schema.additionalProperties) ? schema.additionalProperties : {}), key, value, joined(at, key), change(key), required.has(key), depth));
    return h("div", { class: "object" },
      keys.length > rowsAtOnce ? this.filter(at, filter, keys.length) : null,
      rows,
      found.length > most ? h("button", { type: "button", id: this.id(at) + "-more", onclick: () => { this.rows.set(at, most + rowsAtOnce); this.draw(); } }, "Show more of " + (found.length - most)) : null,
      keys.length === 0 && !schema.additionalProperties ? h("p", { class: "quiet" }, "It takes no arguments.") : null,
      schema.additionalProperties ? this.another(schema, value, at, change) : null);
  }

  filter(at, words, total) {
    const id = this.id(at) + "-filter";
    const field = h("input", { type: "search", id, value: words, onchange: () => { this.words.set(at, field.value); this.draw(); } });
    return h("p", { class: "controls" }, h("label", { for: id }, "Find one of " + total + " properties"), field);
  }

  // another adds a member that the schema does not name.
  another(schema, value, at, change) {
    const id = this.id(at) + "-another";
    const field = h("input", { type: "text", id });
    const add = () => {
      if (field.value === "" || Object.hasOwn(value, field.value)) return;
      const inner = isObject(schema.additionalProperties) ? this.first(schema.additionalProperties, 1) ?? blank(this.plain(schema.additionalProperties)) : "";
      change(field.value)(inner, this.id(joined(at, field.value)));
    };
    return h("p", { class: "controls" }, h("label", { for: id }, "Another member"), field, h("button", { type: "button", onclick: add }, "Add"));
  }

  // row is a named value of an object.
  row(schema, key, value, at, set, needed, depth) {
    const plain = this.plain(schema);
    const inner = own(value, key);
    const compound = plain.type === "object" || plain.type === "array" || plain.properties || this.alternatives(plain);
    const hint = [this.kind(plain), needed ? "required" : "", bounds(plain), Object.hasOwn(plain, "default") ? "default " + clip(JSON.stringify(plain.default)) : ""].filter(Boolean).join(", ");
    const about = this.id(at) + "-about";
    let control;
    if (compound && inner === undefined) {
      control = h("button", { type: "button", id: this.id(at) + "-add", onclick: () => set(this.first(plain, 1) ?? (plain.type === "array" ? [] : plain.type === "object" ? {} : ""), this.id(at) + "-remove") }, "Add ", foreign(key));
    } else {
      control = this.node(plain, inner, at, set, depth + 1);
    }
    const described = plain.description ? h("p", { class: "quiet told", id: about }, foreign(clip(String(plain.description), 500))) : null;
    if (described && control instanceof HTMLElement) control.setAttribute("aria-describedby", about);
    const remove = compound && inner !== undefined && !needed ? h("button", { type: "button", id: this.id(at) + "-remove", "aria-label": "Remove " + key, onclick: () => set(undefined, this.id(at) + "-add") }, "Remove") : null;
    return h(compound ? "fieldset" : "div", { class: "row-of" },
      h(compound ? "legend" : "label", compound ? null : { for: this.id(at) }, foreign(key), " ", h("span", { class: "quiet" }, hint)), " ", remove, described, control);
  }

  array(schema, value, at, set, depth) {
    const most = this.rows.get(at) ?? rowsAtOnce;
    const of = (i) => schema.prefixItems?.[i] ?? (isObject(schema.items) ? schema.items : {});
    const rows = value.slice(0, most).map((inner, i) => {
      const put = (next, focus) => {
        if (focus === null) {
          value[i] = next ?? "";
          set(value, null);
        } else set(next === undefined ? value.toSpliced(i, 1) : value.with(i, next), focus);
      };
      const place = at + "/" + i;
      return h("div", { class: "item", role: "group", "aria-label": "Item " + (i + 1) },
        h("label", { class: "quiet", for: this.id(place) }, i + 1 + "."),
        this.node(of(i), inner, place, put, depth + 1),
        h("button", { type: "button", "aria-label": "Remove item " + (i + 1), onclick: () => put(undefined, this.id(at) + "-add-item") }, "Remove"));
    });
    const full = value.length >= (schema.maxItems ?? Infinity) || schema.items === false && value.length >= (schema.prefixItems?.length ?? 0);
    const next = this.plain(of(value.length));
    return h("div", { class: "array" }, rows,
      value.length > most ? h("button", { type: "button", onclick: () => { this.rows.set(at, most + rowsAtOnce); this.draw(); } }, "Show more of " + (value.length - most)) : null,
      full ? null : h("button", { type: "button", id: this.id(at) + "-add-item", onclick: () => set([...value, this.first(next, 1) ?? blank(next)], this.id(at + "/" + value.length)) }, "Add item"));
  }
}

const joined = (at, key) => at + "/" + key.replaceAll("~", "~0").replaceAll("/", "~1");

// unescaped reads a token of a JSON pointer in a fragment.
function unescaped(token) {
  try {
    token = decodeURIComponent(token);
  } catch {
    // It is taken as it is written.
  }
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

const clip = (text, most = 60) => (text.length > most ? text.slice(0, most) + "…" : text);

// blank is a value to begin with, for a place that cannot be empty.
const blank = (schema) => (Array.isArray(schema.enum) ? schema.enum[0] : { integer: 0, number: 0, boolean: false }[schema.type] ?? "");

const structuredCloneOf = (value) => parse(JSON.stringify(value));

// bounds says the limits of a value in a few words.
function bounds(s) {
  const range = (low, high, unit) => (low !== undefined && high !== undefined ? low + " to " + high + unit : low !== undefined ? "at least " + low + unit : high !== undefined ? "at most " + high + unit : "");
  return [
    range(s.minimum ?? s.exclusiveMinimum, s.maximum ?? s.exclusiveMaximum, ""), range(s.minLength, s.maxLength, " characters"), range(s.minItems, s.maxItems, " items"),
    s.pattern ? "pattern " + clip(String(s.pattern)) : "", s.format ? "format " + clip(String(s.format)) : "",
  ].filter(Boolean).join(", ");
}
