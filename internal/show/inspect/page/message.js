// A request and its answer: header fields and the beginning of each body.

import { h, address, copier, foreign, size } from "./dom.js";

// headers is a table of header fields.
export function headers(list, label) {
  if (!list || list.length === 0) return h("p", { class: "quiet" }, "no header fields but those of each request");
  return h("table", { "aria-label": label, class: "headers" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Field"), h("th", { scope: "col" }, "Value"))),
    h("tbody", null, list.map((f) => h("tr", null, h("th", { scope: "row" }, foreign(f.name)), h("td", { class: "code" }, foreign(f.value))))));
}

// body shows a text with what is to be known about it. cut are the words for a text that is only
// a beginning.
export function body(text, label, cut = "cut: it has " + size(text.bytes)) {
  return [
    text.cut || text.binary ? h("p", { class: "quiet" }, [text.binary ? "no text, shown by its bytes" : "", text.cut ? cut : ""].filter(Boolean).join("; ")) : null,
    h("pre", { class: "foreign code", tabindex: "0", "aria-label": label }, text.text),
  ];
}

// message shows the request and the answer of a bar.
export function message(m) {
  const beginning = (text, label) => (text ? body(text, label, "the first " + size(text.bytes) + " of it") : h("p", { class: "quiet" }, "no body"));
  return [
    m.note ? h("p", { class: "quiet" }, m.note) : null,
    m.request ? [
      h("h3", null, "Request ", m.curl ? copier(m.curl, "Copy as curl") : null),
      m.curlNote ? h("p", { class: "quiet" }, m.curlNote) : null,
      h("p", { class: "line" }, h("b", null, foreign(m.request.method)), " ", address(m.request.url), m.proto ? h("span", { class: "quiet" }, " " + m.proto) : null),
      headers(m.request.header, "Header of the request"),
      m.request.body ? beginning(m.request.body, "Body of the request") : null,
    ] : null,
    m.status ? [
      h("h3", null, m.request ? "Answer" : "Stored answer"),
      h("p", { class: "line" }, h("b", null, m.status), m.remote ? h("span", { class: "quiet" }, " from " + m.remote) : null),
      headers(m.header, "Header of the answer"),
      beginning(m.body, "Body of the answer"),
    ] : null,
  ];
}
