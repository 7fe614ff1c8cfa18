// The page's own URLs. They are relative, so the token of this launch is in each.

// get asks for a value.
export async function get(path, query = {}) {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value !== undefined));
  return read(await fetch(path + (search.size ? "?" + search : "")));
}

// post hands a value over and returns the answer.
export async function post(path, value) {
  return read(await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) }));
}

async function read(response) {
  let value = {};
  try {
    value = await response.json();
  } catch (error) {
    if (response.ok) throw error;
  }
  if (!response.ok) throw new Error(value.error ?? "the page's own server answered " + response.status);
  return value;
}
