// The filter of the waterfall: words, and the fields status:, verdict: and from:.

import { textOf } from "./runs.js";

const plain = (text) => (text ?? "").toLowerCase().replaceAll("_", " ");

// fields are the values of a row that a filter may name. status:4xx is any status that begins
// with 4.
const fields = {
  status: (row, value) => plain(row.status).startsWith(value.replace(/x+$/, "")),
  verdict: (row, value) => plain(row.verdict).startsWith(value),
  from: (row, value) => plain(row.from).startsWith(value),
};

// parse reads a filter. test(row) says whether a row has all its terms, and fault names a
// field that does not exist.
export function parse(text) {
  const tests = [];
  let fault = "";
  for (const [, name, quoted, word] of text.matchAll(/(?:([A-Za-z]+):)?(?:"([^"]*)"?|([^\s"]+))/g)) {
    const value = quoted ?? word;
    const field = fields[name?.toLowerCase()];
    if (field) {
      const values = value.split(",").map(plain).filter(Boolean);
      if (values.length > 0) tests.push((row) => values.some((v) => field(row, v)));
      continue;
    }
    if (name && !value.startsWith("/")) fault = "There is no field " + name + ": the fields are " + Object.keys(fields).join(", ") + ".";
    const whole = ((name ? name + ":" : "") + value).toLowerCase();
    tests.push((row) => textOf(row).includes(whole));
  }
  return { empty: tests.length === 0, fault, test: (row) => tests.every((test) => test(row)) };
}
