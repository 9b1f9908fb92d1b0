/** What the page knows of a Binding: its keys and their values, which its JSON Schema has. */
import schema from "../../docs/schemas/binding.v1alpha1.json";

interface Schema {
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
}

/** A completion of a Binding; those of the core have more. */
export interface Item {
  label: string;
  detail: string;
  insert: string;
  range: { start: { offset: number }; end: { offset: number } };
}

const root: Schema = schema;

/** A line `  - key: value`, with the column of its key. */
interface Line {
  start: number;
  text: string;
  column: number;
  key: string;
  /** Whether it begins an item of a list. */
  isItem: boolean;
}

const KEY = /^([ ]*(?:- +)*)(["']?)([\w.-]+)\2[ ]*:(?=[ \r\n]|$)/;

function linesOf(text: string): Line[] {
  let start = 0;
  return text.split("\n").map((line) => {
    const [, before = "", , key = ""] = KEY.exec(line) ?? [];
    const found = { start, text: line, column: before.length, key, isItem: before.includes("-") };
    start += line.length + 1;
    return found;
  });
}

/** Returns the schema of a key's value, or of an item if it is a list. */
function below(node: Schema | undefined, key: string): Schema | undefined {
  const named = typeof node?.additionalProperties === "object" ? node.additionalProperties : undefined;
  return itemOf(node?.properties?.[key] ?? named);
}

function itemOf(node: Schema | undefined): Schema | undefined {
  return node?.items ? itemOf(node.items) : node;
}

/** Returns the keys above a column at a line, outermost first. */
function pathAt(lines: Line[], nth: number, column: number): string[] {
  const path: string[] = [];
  for (let at = nth - 1, limit = column; at >= 0 && limit > 0; at--) {
    const { key, column } = lines[at]!;
    if (!key || column >= limit) continue;
    path.unshift(key);
    limit = column;
  }
  return path;
}

/** Returns the keys beside a column at a line. */
function siblings(lines: Line[], nth: number, column: number): Set<string> {
  const found = new Set<string>();
  for (const step of [-1, 1]) {
    for (let at = nth + step; lines[at]; at += step) {
      const line = lines[at]!;
      if (!line.key) continue;
      if (line.column < column || (step > 0 && line.column === column && line.isItem)) break;
      if (line.column !== column) continue;
      found.add(line.key);
      if (step < 0 && line.isItem) break;
    }
  }
  return found;
}

const sentence = ({ description = "" }: Schema): string => description.split(/(?<=\.)\s/, 1)[0]!.replace(/\.$/, "");

const valuesOf = (node: Schema | undefined): string[] =>
  node?.enum ?? (typeof node?.const === "string" ? [node.const] : node?.type === "boolean" ? ["true", "false"] : []);

/** Returns the completions at an offset of a Binding: its keys, and the values that a key may have. */
export function completionsAt(text: string, offset: number): Item[] {
  const lines = linesOf(text);
  const nth = lines.findLastIndex(({ start }) => start <= offset);
  const line = lines[nth]!;
  const before = line.text.slice(0, offset - line.start);
  const completion = (from: number) => (label: string, detail: string, insert: string): Item => ({
    label,
    detail,
    insert,
    range: { start: { offset: from }, end: { offset } },
  });
  const value = /^([ ]*(?:- +)*)([\w.-]+):[ ]+(\S*)$/.exec(before);
  if (value) {
    const [, indent = "", key = "", typed = ""] = value;
    const node = pathAt(lines, nth, indent.length).reduce(below, root);
    const found = completion(offset - typed.length);
    return valuesOf(node?.properties?.[key])
      .filter((one) => one.startsWith(typed))
      .map((one) => found(one, "", one));
  }
  const key = /^([ ]*(?:- +)*)([\w.-]*)$/.exec(before);
  if (!key) return [];
  const [, indent = "", typed = ""] = key;
  const column = indent.length;
  const node = pathAt(lines, nth, column).reduce(below, root);
  const taken = siblings(lines, nth, column);
  const found = completion(offset - typed.length);
  const insert = (name: string, { type }: Schema): string => (type === "object" || type === "array" ? `${name}:` : `${name}: `);
  return Object.entries(node?.properties ?? {})
    .filter(([name]) => name.startsWith(typed) && !taken.has(name))
    .map(([name, one]) => found(name, sentence(one), insert(name, one)));
}

/** A key of a Binding with a fixed list of values. */
export interface Setting {
  /** Its keys: `["spec", "policy", "unused"]`. */
  path: string[];
  label: string;
  description: string;
  values: string[];
}

/** Returns the settings of a Binding that have a fixed list of values: its dialect and its policies. */
export function settings(): Setting[] {
  const found: Setting[] = [];
  const walk = (node: Schema, path: string[]) => {
    for (const [key, one] of Object.entries(node.properties ?? {})) {
      const inside = [...path, key];
      if (one.enum) found.push({ path: inside, label: inside.slice(1).join("."), description: one.description ?? "", values: one.enum });
      else walk(one, inside);
    }
  };
  walk(root, []);
  return found;
}

/** Returns the ids of the formats of outputs documents. */
export const formats = (): string[] => valuesOf(["spec", "outputs"].reduce(below, root)?.properties?.["format"]);

/** Where a Binding sets a key, or where it can be set. */
interface Place {
  /** The bytes of the value, if there is one. */
  from: number;
  to: number;
  value?: string;
  /** What is written before a new value. */
  before: string;
}

/** Finds a key in a Binding of block style; its last mapping may be in flow style: `policy: {unused: ignore}`. */
function placeOf(text: string, path: string[]): Place | undefined {
  const lines = linesOf(text);
  let [start, end, column] = [0, lines.length, 0];
  for (const [depth, key] of path.entries()) {
    const nth = lines.findIndex((line, at) => at >= start && at < end && line.key === key && line.column === column && !line.isItem);
    const rest = path.slice(depth);
    if (nth < 0) return insertion(lines, end, column, rest);
    const line = lines[nth]!;
    const colon = line.text.indexOf(":", line.column) + 1;
    const [, space = "", value = ""] = /^([ ]*)(.*?)[ ]*(?:[ ]#.*)?\r?$/.exec(line.text.slice(colon)) ?? [];
    const from = line.start + colon + space.length;
    if (rest.length === 1) return { from, to: from + value.length, value, before: space ? "" : " " };
    if (value !== "") return rest.length === 2 ? inFlow(value, from, rest[1]!) : undefined;
    start = nth + 1;
    const after = lines.findIndex((one, at) => at >= start && one.key !== "" && (one.column < column || (one.column === column && !one.isItem)));
    end = after < 0 ? lines.length : after;
    const [child] = lines.slice(start, end).filter((one) => one.key !== "");
    column = child && child.column > column && !child.isItem ? child.column : column + 2;
  }
  return undefined;
}

/** Returns where keys are inserted: after the last line of a mapping that is not blank. */
function insertion(lines: Line[], end: number, column: number, keys: string[]): Place {
  let last = end - 1;
  while (last > 0 && !/\S/.test(lines[last]!.text)) last--;
  const { start, text } = lines[last]!;
  const at = start + text.length;
  const written = keys.map((key, depth) => `\n${" ".repeat(column + 2 * depth)}${key}:`).join("");
  return { from: at, to: at, before: `${written} ` };
}

function inFlow(flow: string, from: number, key: string): Place | undefined {
  if (!/^\{[^{}[\]"'#]*\}$/.test(flow)) return undefined;
  const entry = new RegExp(`([{,][ ]*${key}:[ ]*)([^,}]*?)[ ]*(?=[,}])`).exec(flow);
  if (entry) {
    const at = from + entry.index + entry[1]!.length;
    return { from: at, to: at + entry[2]!.length, value: entry[2]!, before: "" };
  }
  const at = from + flow.length - 1;
  return { from: at, to: at, before: /^\{\s*\}$/.test(flow) ? `${key}: ` : `, ${key}: ` };
}

const unquoted = (value: string): string => value.replace(/^(["'])(.*)\1$/, "$2");

/** Returns what a Binding says about a setting; an empty string if it says nothing. */
export const valueOf = (text: string, { path }: Setting): string => unquoted(placeOf(text, path)?.value ?? "");

/** Returns the edit that sets a setting, or `undefined` if the Binding is written in a way that this does not change. */
export function settingEdit(text: string, { path }: Setting, value: string): { from: number; to: number; text: string } | undefined {
  const place = placeOf(text, path);
  return place && { from: place.from, to: place.to, text: `${place.before}${value}` };
}
