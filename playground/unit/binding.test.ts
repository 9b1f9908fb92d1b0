import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { check, init } from "landfall";
import { completionsAt, formats, settingEdit, settings, valueOf, type Setting } from "../src/binding";

beforeAll(() => init(readFileSync(new URL("../../dist/browser/landfall_bg.wasm", import.meta.url))));

/** Completes at `|`. */
function complete(text: string): string[] {
  const offset = text.indexOf("|");
  return completionsAt(text.replace("|", ""), offset).map(({ insert }) => insert);
}

const HEAD = "apiVersion: landfall.dev/v1alpha1\nkind: Binding\n";

describe("the keys of a Binding", () => {
  it("are completed where they may stand, without those that are there", () => {
    expect(complete("|")).toEqual(["apiVersion: ", "kind: ", "metadata:", "spec:"]);
    expect(complete(`${HEAD}m|`)).toEqual(["metadata:"]);
    expect(complete(`${HEAD}spec:\n  dialect: flux\n  o|`)).toEqual(["outputs:"]);
    expect(complete(`${HEAD}spec:\n  d|\n  dialect: flux\n`)).toEqual([]);
    expect(complete(`${HEAD}spec:\n  outputs:\n    - name: infra\n      f|`)).toEqual(["format: ", "from:"]);
    expect(complete(`${HEAD}spec:\n  outputs:\n  - n|\n  - name: b\n`)).toEqual(["name: ", "notSensitive:"]);
    expect(complete(`${HEAD}spec:\n  outputs:\n    - name: infra\n      from:\n        fi|`)).toEqual(["file: "]);
    expect(complete(`${HEAD}spec:\n  contract:\n    infra:\n      vpc_id:\n        patt|`)).toEqual(["pattern: "]);
  });

  it("are completed with the values that they may have", () => {
    expect(complete(`${HEAD}spec:\n  policy:\n    unused: |`)).toEqual(["error", "note", "ignore"]);
    expect(complete(`${HEAD}spec:\n  dialect: fl|`)).toEqual(["flux"]);
    expect(complete(`kind: |`)).toEqual(["Binding"]);
    expect(complete(`${HEAD}spec:\n  validate: t|`)).toEqual(["true"]);
    expect(complete(`${HEAD}spec:\n  outputs:\n    - format: terraform-|`)).toEqual(["terraform-show"]);
    expect(formats()).toContain("tfstate");
  });

  it("are not completed in text that is no key", () => {
    expect(complete(`${HEAD}# spec|`)).toEqual([]);
    expect(complete(`${HEAD}metadata: {name: n|}`)).toEqual([]);
    expect(complete(`${HEAD}spec:\n  unknown:\n    |`)).toEqual([]);
  });
});

/** Bindings as people write them. */
const BINDINGS = [
  HEAD,
  `${HEAD}spec:\n`,
  `${HEAD}metadata: {name: a}\nspec:\n  outputs:\n    - name: infra\n      from: {file: a.json}\n`,
  `${HEAD}spec:\n  outputs:\n  - name: infra\n    from: {file: a.json}\n\n# policy: ignore\nmetadata:\n  name: unused\n`,
  `${HEAD}spec:\n  dialect: flux # why\n  policy: {unused: note, empty: allow}\n`,
  `${HEAD}spec:\n  policy:\n    missing: keep\n    sensitive:\n      kinds: [Secret]\n  outputs: []`,
  `${HEAD}spec:\r\n  policy:\r\n    "unused": 'note'\r\n  outputs: []\r\n`,
  `${HEAD}spec:\n    policy: {}\n    outputs:\n        - name: infra\n          from: {inline: {dialect: none}}\n`,
];

describe("a setting", () => {
  const problems = (content: string): string[] =>
    check({ manifests: [], outputs: [], binding: { path: "landfall.yaml", content } }).diagnostics.flatMap(({ message, labels }) =>
      labels.some(({ origin }) => origin === "binding") ? [message] : [],
    );
  const isOfBinding = ({ path }: Setting) => path.length <= 3 && (path[1] === "policy" || path[1] === "dialect");

  it("is each key with a fixed list of values", () => {
    const names = settings().map(({ label }) => label);
    expect(names).toEqual(expect.arrayContaining(["dialect", "policy.missing", "policy.unused"]));
    expect(names.some((name) => name.startsWith("outputs"))).toBe(false);
  });

  it.each(BINDINGS)("is written into a Binding, which has it then, and the others as before: %j", (text) => {
    const all = settings().filter(isOfBinding);
    const before = all.map((one) => valueOf(text, one));
    for (const [nth, setting] of all.entries()) {
      for (const value of setting.values) {
        const edit = settingEdit(text, setting, value);
        expect(edit).toBeDefined();
        const after = text.slice(0, edit!.from) + edit!.text + text.slice(edit!.to);
        expect(all.map((one) => valueOf(after, one))).toEqual(before.map((one, at) => (at === nth ? value : one)));
        // The module has no new problem with it.
        expect(problems(text), after).toEqual(expect.arrayContaining(problems(after)));
        expect(after.split("#").length).toBe(text.split("#").length);
      }
    }
  });

  it("is not written where the page cannot tell how", () => {
    const [setting] = settings().filter(({ label }) => label === "policy.unused");
    for (const text of [`${HEAD}spec: {outputs: []}\n`, `${HEAD}spec:\n  policy: {sensitive: {kinds: [Secret]}}\n`, `${HEAD}spec: &a\n  outputs: []\n`]) {
      expect(settingEdit(text, setting!, "note"), text).toBeUndefined();
    }
  });
});
