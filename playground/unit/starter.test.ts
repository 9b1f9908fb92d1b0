import { describe, expect, it } from "vitest";
import type { Completion } from "landfall";
import { starter } from "../src/starter";

/** What the core answers for `${infra.`. */
function completion(label: string, detail: string, insert = label): Completion {
  const position = (offset: number) => ({ line: 1, column: offset + 1, offset });
  const start = position(insert.startsWith("[") ? 7 : 8);
  return { label, kind: "output", detail, insert, range: { start, end: position(8) } };
}

describe("a starter manifest", () => {
  it("has plain outputs in a ConfigMap, and sensitive ones in a Secret", () => {
    const found = [completion("vpc_id", "string"), completion("zones", "list"), completion("password", "string, sensitive")];
    expect(starter([{ name: "infra", found }])).toBe(`apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  vpc_id: "\${infra.vpc_id}"
  zones: "\${infra.zones | json}"
---
apiVersion: v1
kind: Secret
metadata:
  name: credentials
stringData:
  password: "\${infra.password}"
`);
  });

  it("writes names that are no identifiers as keys that Kubernetes accepts", () => {
    const found = [completion("cluster name", "string", "['cluster name']")];
    expect(starter([{ name: "infra", found }])).toContain(`  cluster_name: "\${infra['cluster name']}"\n`);
  });

  it("keeps the keys of different outputs apart", () => {
    const found = [completion("a b", "string", "['a b']"), completion("a_b", "string")];
    expect(starter([{ name: "infra", found }])).toContain(`  a_b: "\${infra['a b']}"\n  a_b_2: "\${infra.a_b}"\n`);
  });

  it("leaves out names that do not fit between double quotes", () => {
    const found = [completion("it's", "string", `["it's"]`), completion("a\nb", "string", "['a\nb']"), completion("a\\", "string", "['a\\']")];
    expect(starter([{ name: "infra", found }])).toBe("");
  });
});
