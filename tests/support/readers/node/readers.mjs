// Reads YAML with Node's yaml, as YAML 1.1 and as 1.2, and reports where it reads
// something other than expected. The protocol is that of ../go/main.go.

import { readFileSync } from "node:fs";
import { parse } from "yaml";

// Integers of any size stay exact, and keys keep their types.
const options = { intAsBigInt: true, mapAsMap: true, maxAliasCount: -1, logLevel: "error" };

const READERS = ["1.1", "1.2"].map((version) => ({
  name: `Node's yaml as YAML ${version}`,
  read(text) {
    try {
      return parse(text, { ...options, version });
    } catch (error) {
      return error;
    }
  },
}));

function equal(value, tree) {
  const [[kind, expected]] = Object.entries(tree);
  switch (kind) {
    case "null":
      return value === null;
    case "text":
    case "bool":
      return value === expected;
    case "int":
      return typeof value === "bigint" && value.toString() === expected;
    case "float":
      return typeof value === "number" && value === expected;
    case "list":
      return Array.isArray(value) && value.length === expected.length
        && expected.every((item, n) => equal(value[n], item));
    case "map":
      return value instanceof Map && value.size === expected.length && equalEntries([...value], expected);
    default:
      return false;
  }
}

// Entries in any order are the same mapping; nearly always it is the document's order.
function equalEntries(entries, expected) {
  const is = ([key, item], [k, v]) => equal(key, k) && equal(item, v);
  return expected.every((pair, n) => is(entries[n], pair) || entries.some((entry) => is(entry, pair)));
}

function* differences(reader, { parts, expect, whole }) {
  const value = reader.read(parts.join(""));
  if (whole) {
    if (!equal(value, expect[0])) yield [0, value];
    return;
  }
  if (equal(value, { list: expect })) return;
  for (const [n, part] of parts.entries()) {
    const value = reader.read(part);
    if (!equal(value, { list: [expect[n]] })) yield [n, value];
  }
}

function shown(value) {
  if (value instanceof Error) return `error: ${value.message}`;
  const replacer = (_, part) =>
    typeof part === "bigint" ? `${part}n` : part instanceof Map ? [...part] : part;
  return JSON.stringify(value, replacer) ?? "undefined";
}

let count = 0;
const output = [];
for (const [line, text] of readFileSync(0, "utf8").trimEnd().split("\n").entries()) {
  const record = JSON.parse(text);
  count += record.parts.length;
  for (const reader of READERS) {
    for (const [part, value] of differences(reader, record)) {
      output.push(JSON.stringify({ line, part, reader: reader.name, got: shown(value) }));
    }
  }
}
output.push(JSON.stringify({ read: count }));
process.stdout.write(`${output.join("\n")}\n`);
