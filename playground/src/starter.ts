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
function reference(name: string, { insert, range }: Completion): string {
  const typed = `\${${name}.`;
  return `${typed.slice(0, range.start.offset)}${insert}`;
}

/** Returns a ConfigMap with the outputs and a Secret with the sensitive ones. */
export function starter(names: Names[]): string {
  const entries = names.flatMap(({ name, found }) =>
    found.slice(0, MAX).map((one) => {
      const isText = /^(string|number|bool)\b/.test(one.detail);
      return {
        isSensitive: /\bsensitive$/.test(one.detail),
        line: `  ${one.label.replace(/[^\w.-]/g, "_")}: "${reference(name, one)}${isText ? "" : " | json"}}"\n`,
      };
    }),
  );
  const resource = (kind: string, name: string, field: string, isSensitive: boolean) => {
    const lines = [...new Set(entries.filter((one) => one.isSensitive === isSensitive).map((one) => one.line))];
    return lines.length > 0 ? [`apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${field}:\n${lines.join("")}`] : [];
  };
  return [...resource("ConfigMap", "settings", "data", false), ...resource("Secret", "credentials", "stringData", true)].join("---\n");
}
