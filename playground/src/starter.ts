/** A first manifest with the outputs that somebody has brought. */
import type { Completion } from "landfall";

/** How many outputs of a document a starter uses. */
const MAX = 8;

export interface Names {
  /** The binding name. */
  name: string;
  /** What `${name.` is completed with. */
  found: Completion[];
}

/** Returns the reference that a completion of `${name.` makes. */
function reference(name: string, { label, insert, range }: Completion): string {
  const typed = `\${${name}.`;
  // In single quotes, because it is written between double quotes.
  const quoted = /['"\\]/.test(label) ? insert : insert.replaceAll('"', "'");
  return `${typed.slice(0, range.start.offset)}${quoted}`;
}

/** Returns a ConfigMap with the outputs and a Secret with the sensitive ones. */
export function starter(names: Names[]): string {
  const isPlain = (name: string) => (one: Completion) => !/["\\\p{Cc}]/u.test(reference(name, one));
  const keys = new Set<string>();
  const key = (label: string): string => {
    const wanted = label.replace(/[^\w.-]/g, "_").slice(0, 200);
    let free = wanted;
    for (let nth = 2; keys.has(free); nth++) free = `${wanted}_${nth}`;
    keys.add(free);
    return free;
  };
  const entries = names.flatMap(({ name, found }) =>
    found.filter(isPlain(name)).slice(0, MAX).map((one) => {
      const isText = /^(string|number|bool)\b/.test(one.detail);
      return {
        isSensitive: /\bsensitive$/.test(one.detail),
        line: `  ${key(one.label)}: "${reference(name, one)}${isText ? "" : " | json"}}"\n`,
      };
    }),
  );
  const resource = (kind: string, name: string, field: string, isSensitive: boolean) => {
    const lines = entries.filter((one) => one.isSensitive === isSensitive).map((one) => one.line);
    return lines.length > 0 ? [`apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${field}:\n${lines.join("")}`] : [];
  };
  return [...resource("ConfigMap", "settings", "data", false), ...resource("Secret", "credentials", "stringData", true)].join("---\n");
}
