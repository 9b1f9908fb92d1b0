/** Finds the ranges of values in JSON that the core has read. */

export interface Value {
  from: number;
  to: number;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/** Returns the range of the first value, or single token, at or after an offset. */
function next(text: string, offset: number): Value | undefined {
  TOKEN.lastIndex = offset;
  let from = -1;
  let depth = 0;
  for (let token = TOKEN.exec(text)?.[0]; token !== undefined; token = TOKEN.exec(text)?.[0]) {
    if (from < 0) from = TOKEN.lastIndex - token.length;
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    if (depth <= 0) return { from, to: TOKEN.lastIndex };
  }
  return undefined;
}

/** Returns the members of the object that begins at an offset. */
export function* members(text: string, offset: number): Generator<{ key: Value; value: Value }> {
  let before: Value | undefined = { from: offset, to: offset + 1 };
  while (before) {
    const key = next(text, before.to);
    const colon = key && next(text, key.to);
    const value = colon && next(text, colon.to);
    if (!value || text[colon.from] !== ":") return;
    yield { key, value };
    before = next(text, value.to);
  }
}

/** Returns the value after the output name that ends at `nameEnd`: its `value` field, if it has one. */
export function valueAfterName(text: string, nameEnd: number): Value | undefined {
  const colon = /^\s*\{/.test(text) ? next(text, text[nameEnd] === '"' ? nameEnd + 1 : nameEnd) : undefined;
  const value = colon && text[colon.from] === ":" ? next(text, colon.to) : undefined;
  if (!value || text[value.from] !== "{") return value;
  for (const { key, value: field } of members(text, value.from)) {
    if (text.slice(key.from, key.to) === '"value"') return field;
  }
  return value;
}
