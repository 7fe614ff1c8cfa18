// Elements from values. Text becomes text and never markup: this is the only module
// that makes elements, and it knows no other way.

// h makes an element. Properties that begin with "on" are listeners; "class" and the
// others are attributes, left out when they are false, null or undefined. Children are
// elements, texts, numbers, or lists of these; null and false are left out.
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    set(element, name, value);
  }
  element.append(...flat(children));
  return element;
}

// svg is h for a drawing.
export function svg(tag, properties, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    set(element, name, value);
  }
  element.append(...flat(children));
  return element;
}

// An attribute that could make a browser fetch or run something is never set from data.
const active = new Set(["href", "src", "srcset", "srcdoc", "action", "formaction", "style", "xlink:href", "data", "poster"]);

function set(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith("on")) {
    if (typeof value !== "function") throw new TypeError("a listener is a function");
    element.addEventListener(name.slice(2), value);
    return;
  }
  if (active.has(name.toLowerCase())) throw new TypeError("the attribute " + name + " is not set by this page");
  if (name === "value" || name === "checked" || name === "disabled" || name === "selected") {
    element[name] = value;
    return;
  }
  element.setAttribute(name, value === true ? "" : String(value));
}

function flat(children) {
  return children.flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

// foreign shows a text that a site has written, apart from the direction of ours.
export function foreign(text) {
  return h("bdi", { class: "foreign" }, text);
}

// address shows a URL as text, with its host set off. It is no link: the page leads to
// no site.
export function address(url) {
  const [, before, host] = /^([a-z][a-z0-9+.-]*:\/\/(?:[^\\/?#]*@)?)([^\\/?#]+)/i.exec(url) ?? [];
  if (host === undefined || !URL.canParse(url)) return foreign(url);
  const plain = /^[!-~]+$/.test(host) ? host : new URL(url).host; // letters of other alphabets may look like these
  return h("bdi", { class: "foreign url" }, before, h("b", null, plain), url.slice(before.length + host.length));
}

// copier is a button that copies a text.
export function copier(text, label = "Copy") {
  const button = h("button", {
    type: "button",
    class: "copy",
    async onclick() {
      try {
        await navigator.clipboard.writeText(typeof text === "function" ? text() : text);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Could not copy";
      }
      setTimeout(() => { button.textContent = label; }, 1500);
    },
  }, label);
  return button;
}

// json shows a value as indented JSON.
export function json(value) {
  return h("pre", { class: "foreign code", tabindex: "0" }, JSON.stringify(value, null, 2));
}

// milliseconds in words.
export function duration(ms) {
  if (ms < 1) return ms.toFixed(2) + " ms";
  if (ms < 1000) return ms.toFixed(ms < 10 ? 1 : 0) + " ms";
  return (ms / 1000).toFixed(2) + " s";
}

// bytes in words.
export function size(bytes) {
  if (bytes < 1024) return bytes + " B";
  if (bytes < 1024 * 1024) return (bytes / 1024).toFixed(1) + " KiB";
  return (bytes / 1024 / 1024).toFixed(1) + " MiB";
}
