// The rows of the waterfall: from the parts of the work, and the notes of an answer.

const words = {
  network: "the network",
  304: "the store: the site confirmed it with 304 (Not Modified)",
  memory: "memory: no request was needed",
  disk: "disk: no request was needed",
  redis: "Redis: no request was needed",
  stale: "the store: an old answer",
};

// clock is a time of the server, in UTC.
export const clock = (time) => time.slice(0, 19).replace("T", " ") + " UTC";

// runsOf are the parts that are within no other: a resolve, a call. Requests between
// them, for details of capabilities, are a run together.
export function runsOf(parts) {
  const within = new Map();
  for (const part of parts.values()) {
    const around = part.within ?? 0;
    if (!within.has(around)) within.set(around, []);
    within.get(around).push(part);
  }
  const runs = [];
  for (const part of within.get(0) ?? []) {
    const last = runs.at(-1);
    if (part.kind !== "request") runs.push({ part, roots: [part], within });
    else if (last?.loose) last.roots.push(part);
    else runs.push({ loose: true, roots: [part], within });
  }
  for (const run of runs) {
    if (!run.loose) continue;
    const ends = run.roots.map((p) => p.endMs);
    run.part = {
      id: run.roots[0].id, kind: "read", target: run.roots[0].target.split("/").slice(0, 3).join("/"), beginMs: run.roots[0].beginMs,
      endMs: ends.includes(undefined) ? undefined : Math.max(...ends),
    };
  }
  return runs;
}

// runTitle names a run.
export function runTitle(run, n) {
  let requests = 0;
  const count = (part) => {
    if (part.kind === "exchange") requests++;
    for (const inner of run.within.get(part.id) ?? []) count(inner);
  };
  run.roots.forEach(count);
  const from = run.part.from ? ", from " + run.part.from : "";
  const title = run.loose ? "details of " : run.part.kind + " ";
  const sent = requests === 0 && run.part.endMs !== undefined ? "no request" : requests + (requests === 1 ? " request" : " requests");
  return n + 1 + ": " + title + bare(run.part.target ?? "") + ", " + sent + from;
}

const bare = (url) => url.replace(/^https:\/\//, "");

// rowsOf are the rows of a run, in the order of their beginning. A redirect stands below
// the request that led to it, and a retry below its request.
export function rowsOf(run, parts, notes) {
  const noted = new Map((notes ?? []).map((note) => [note.url, note]));
  const rows = [];
  const told = new Set();
  let waves = 0;
  const request = (part, into) => {
    const inner = run.within.get(part.id) ?? [];
    const exchanges = inner.filter((p) => p.kind === "exchange");
    const read = inner.find((p) => p.kind === "read");
    const note = noted.get(part.target);
    told.add(part.target);
    const row = requestRow(part, exchanges, read, note, run);
    let at = into.length;
    if (part.redirectedFrom) {
      const before = into.findLastIndex((r) => r.url === part.redirectedFrom && r.part !== part);
      if (before >= 0) {
        row.depth = into[before].depth + 1;
        at = before + 1;
        while (at < into.length && into[at].depth >= row.depth) at++;
      }
      row.label = "↳ redirect to " + row.label;
    }
    const retries = exchanges.filter((p) => p.attempt > 1).map((p) => retryRow(p, row, run));
    into.splice(at, 0, row, ...retries);
  };
  const walk = (part, into) => {
    if (part.kind === "wave") {
      waves++;
      const own = [];
      for (const inner of run.within.get(part.id) ?? []) walk(inner, own);
      rows.push({ heading: true, id: "wave" + part.id, label: "Wave " + waves + ": " + part.places + (part.places === 1 ? " place" : " places"), depth: 0, part, begin: part.beginMs, end: part.endMs }, ...own);
    } else if (part.kind === "request") request(part, into);
    else if (part.kind === "exchange") into.push(exchangeRow(part, run));
    else if (part.kind === "read") into.push(otherRow(part, "reading " + bare(part.target ?? "")));
    else {
      if (part !== run.part) into.push(otherRow(part, part.kind + " " + bare(part.target ?? "")));
      for (const inner of run.within.get(part.id) ?? []) walk(inner, into);
    }
  };
  const loose = [];
  run.roots.forEach((part) => walk(part, loose));
  const rest = (notes ?? []).filter((note) => !told.has(note.url));
  if (loose.length > 0 && rows.length > 0) rows.push({ heading: true, id: "loose", label: "Beside the waves", depth: 0 });
  rows.push(...loose);
  if (rest.length > 0) {
    rows.push({ heading: true, id: "rest", label: "Without a request: " + rest.length + (rest.length === 1 ? " place" : " places"), depth: 0 });
    for (const note of rest) rows.push(noteRow(note));
  }
  if (rows.length === 0) rows.push(otherRow(run.part, run.part.kind + " " + bare(run.part.target ?? "")));
  return rows;
}

function since(note) {
  return note?.since ? ", since " + clock(note.since) : "";
}

// fromOf says where an answer came from: shortly, and in a sentence.
function fromOf(part, note) {
  const from = note?.from?.startsWith(part ?? "") ? note.from : part;
  if (!from) return {};
  const [kind, why] = from.split(" (");
  return { from: from + (note?.since ? " " + note.since.slice(11, 19) : ""), fromWords: (words[kind] ?? kind) + (why ? " (" + why : "") + since(note) };
}

const label = (url, origin) => (origin && url.startsWith(origin + "/") ? url.slice(origin.length) : bare(url));

function requestRow(part, exchanges, read, note, run) {
  const first = exchanges.find((p) => p.attempt === 1) ?? exchanges[0];
  const leads = /^3(?!04)/.test(part.status ?? "");
  return {
    id: part.id, part, note, read, exchange: first, url: part.target, depth: 0, label: label(part.target, run.part.target),
    begin: part.beginMs, end: part.endMs, segments: segments(first, read),
    status: part.status ?? (first?.endMs === undefined ? "" : first?.status), verdict: note?.verdict ?? (leads ? "redirect" : read?.verdict) ?? "",
    error: part.error, ...fromOf(part.from, note),
  };
}

function retryRow(part, row, run) {
  return { ...exchangeRow(part, run), depth: row.depth + 1, label: "↻ attempt " + part.attempt + " of " + row.label };
}

function exchangeRow(part, run) {
  return {
    id: part.id, part, exchange: part, url: part.target, depth: 0, label: label(part.target ?? "", run.part.target),
    begin: part.beginMs, end: part.endMs, segments: segments(part), status: part.status ?? "", error: part.error,
    from: "network", fromWords: words.network,
  };
}

function otherRow(part, words) {
  return { id: part.id, part, url: part.target, depth: 0, label: words, begin: part.beginMs, end: part.endMs, segments: [], verdict: part.verdict, status: part.outcome ?? part.status, error: part.error, ...fromOf(part.from) };
}

function noteRow(note) {
  const remembered = note.from ? fromOf(note.from, note) : {};
  return { id: "note " + note.url, note, none: true, url: note.url, depth: 0, label: bare(note.url), status: note.status ?? "", verdict: note.verdict, ...remembered };
}

// segments are the stages of an exchange and the reading of its document, with their
// begin and end.
function segments(exchange, read) {
  const list = [];
  let at = exchange?.beginMs ?? 0;
  for (const stage of exchange?.stages ?? []) {
    list.push({ name: stage.name, begin: at, end: at + stage.ms });
    at += stage.ms;
  }
  if (exchange && exchange.endMs === undefined) list.push({ name: "under way", begin: at });
  if (read) list.push({ name: "parse", begin: read.beginMs, end: read.endMs });
  return list;
}

// textOf is the text of a row that a filter looks at.
export function textOf(row) {
  return [row.url, row.label, row.status, row.verdict, row.from, row.error, row.note?.reason, row.note?.formats?.join(" ")].join(" ").toLowerCase();
}
