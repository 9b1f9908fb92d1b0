import { existsSync } from "node:fs";
import type { Classified, Redacted } from "landfall";
import { beforeAll, describe, expect, it } from "vitest";
import { literalSecrets, open, share } from "../src/share";
import type { Saved } from "../src/state";
import old from "./fixtures/link.v1.json";

const SECRET = "hunter2-hunter2";

const workspace = (outputs: string, sensitive = false): Saved => ({
  manifests: [{ path: "a.yaml", content: "\uFEFFa: ${infra.x}\r\nb: größe 😀\r\n" }],
  outputs: [{ name: "infra", path: "infra.json", content: outputs, ...(sensitive && { sensitive }) }],
  open: "a.yaml",
});

/** Redacts documents without sensitive outputs. */
const unchanged = ({ outputs }: Saved): Redacted[] => outputs.map(({ content }) => ({ content, outputs: [], replaced: [] }));

/** Classifies each manifest as a manifest without Secrets. */
const manifests = ({ manifests }: Saved): Classified[] => manifests.map(() => ({ isOutputs: false, secrets: [], otherDialects: [] }));

async function roundTrip(saved: Saved, redacted: (Redacted | null)[] = unchanged(saved), classified = manifests(saved)) {
  const shared = await share(saved, { redacted, classified });
  if (shared.kind !== "link") throw new Error("no link");
  const opened = await open(shared.hash);
  if (opened.kind !== "workspace") throw new Error("not opened");
  return { ...shared, saved: opened.saved };
}

describe("a link", () => {
  it("contains every byte that is not sensitive", async () => {
    const before = workspace('{"x": {"value": "größe 😀"}}\r\n');
    expect((await roundTrip(before)).saved).toEqual(before);
  });

  it("contains the format of a document", async () => {
    const before = workspace("X=a\n");
    before.outputs[0]!.format = "dotenv";
    expect((await roundTrip(before)).saved).toEqual(before);
  });

  it("contains only redacted documents", async () => {
    const before = workspace(SECRET);
    expect(await roundTrip(before, [{ content: "{}", outputs: ["x", "y"], replaced: [] }])).toMatchObject({
      saved: { outputs: [{ content: "{}" }] },
      withheld: ["infra.x", "infra.y"],
      leftOut: [],
    });
    for (const redacted of [[null], []]) {
      expect(await roundTrip(before, redacted)).toMatchObject({
        saved: { outputs: [{ content: "" }] },
        leftOut: ["infra.json"],
      });
    }
  });

  it("leaves out outputs documents among the manifests", async () => {
    const before = workspace("{}");
    before.manifests.push({ path: "terraform.tfstate", content: SECRET });
    const secret = { apiVersion: "v1", kind: "Secret", name: "db", namespace: "" };
    const classified = [
      { isOutputs: false, secrets: [secret, { ...secret, kind: "", name: "" }], otherDialects: [] },
      { isOutputs: true, secrets: [secret], otherDialects: [] },
    ];
    expect(await roundTrip(before, unchanged(before), classified)).toMatchObject({
      saved: { manifests: [{ path: "a.yaml" }] },
      misplaced: ["terraform.tfstate"],
    });
    expect(literalSecrets(before, classified)).toEqual(["Secret db in a.yaml", "Secret ? in a.yaml"]);
  });

  it("has only characters that are allowed in a URL", async () => {
    expect((await roundTrip(workspace("{}"))).hash).toMatch(/^#v1=[A-Za-z0-9_-]+$/);
  });

  it("of the first version still opens", async () => {
    expect(await open(old.hash)).toEqual({ kind: "workspace", saved: old.saved });
  });

  it.each([
    ["#v2=AAAA", /version 2/],
    ["#v1=", /cannot be read/],
    ["#v1=%%%", /cannot be read/],
    [old.hash.slice(0, -9), /cannot be read/],
    ["#somewhere", /not a playground link/],
    // `{"manifests":1}`
    ["#v1=q1bKTczLTMstLilWsjKsBQA", /cannot be read/],
  ])("that is invalid is reported: %.20s", async (hash, expected) => {
    const opened = await open(hash);
    expect(opened.kind).toBe("broken");
    expect(opened.kind === "broken" && opened.message).toMatch(expected);
  });

  it("has a limit on what it unpacks to", { timeout: 60_000 }, async () => {
    const large = { manifests: [{ path: "a", content: "a".repeat(17 * 1024 * 1024) }], outputs: [] };
    const bomb = await share(large, { redacted: [], classified: manifests(large) });
    expect(bomb.kind).toBe("link");
    expect(await open(bomb.kind === "link" ? bomb.hash : "")).toMatchObject({ kind: "broken", message: /unpacks to more/ });
  });

  it("has a limit on its length", async () => {
    const noise = Array.from(crypto.getRandomValues(new Uint8Array(65_536))).join("");
    const large = workspace(`{"x": {"value": "${noise}"}}`);
    expect((await share(large, { redacted: unchanged(large), classified: manifests(large) })).kind).toBe("too-large");
  });
});

const PACKAGE = new URL("../../dist/browser/index.js", import.meta.url);
const isSkipped = !existsSync(PACKAGE) && process.env.CI !== "true";
if (isSkipped) console.warn("skipped: dist: dist/browser not found: run cargo xtask dist");

describe.skipIf(isSkipped)("secrets", () => {
  let core: typeof import("landfall");
  beforeAll(async () => {
    core = (await import(/* @vite-ignore */ PACKAGE.href)) as typeof core;
    await core.init();
  });
  const redacted = ({ manifests, outputs }: Saved) =>
    outputs.map(({ format, ...one }) => core.redact({ ...one, ...(format && { format }) }, { manifests }));
  const roundTripRedacted = (saved: Saved) => roundTrip(saved, redacted(saved));

  it.each([
    `{"x": {"sensitive": true, "type": "string", "value": "${SECRET}"}}`,
    `{"x": {"value": "${SECRET}", "sensitive": true}, "y": {"value": 1}}`,
    `{"x": {"sensitive": true, "value": {"a": ["${SECRET}", {"b": "${SECRET}"}]}}}`,
    // The core also treats duplicates and non-bool values of `sensitive` as sensitive.
    `{"x": {"sensitive": true, "value": 1, "value": "${SECRET}"}}`,
    `{"x": {"sensitive": "yes", "value": "${SECRET}"}}`,
    `{"x": {"sensitive": false, "sensitive": true, "value": "${SECRET}"}}`,
    `{"x": {"value": "${SECRET}"}, "x": {"sensitive": true, "value": 1}}`,
    `{"x": {"sensitive": true, "value": "1", "deprecated": "${SECRET}"}}`,
    `{"x": {"s\\u0065nsitive": true, "value": "${SECRET}"}}`,
  ])("are left out of a link: %s", async (outputs) => {
    const { saved, withheld, hash } = await roundTripRedacted(workspace(outputs));
    expect(JSON.stringify(saved)).not.toContain(SECRET);
    expect(atob(hash.slice(4).replaceAll("-", "+").replaceAll("_", "/"))).not.toContain(SECRET);
    expect(withheld).toEqual(["infra.x"]);
  });

  it("of a document that is sensitive as a whole are left out", async () => {
    const { saved } = await roundTripRedacted(workspace(`{"x": {"value": "${SECRET}"}, "y": {"sensitive": false, "value": "${SECRET}"}}`, true));
    expect(JSON.stringify(saved)).not.toContain(SECRET);
  });

  it.each([
    `{"x": {"sensitive": true, "value": "${SECRET}"`,
    `{"x": {"sensitive": true, "value": "${SECRET}"}, "y": "${SECRET}"}`,
    `password: ${SECRET}`,
    `["${SECRET}"]`,
    `${"[".repeat(10_000)}"${SECRET}"`,
  ])("in an invalid document leave the whole document out: %.60s", async (outputs) => {
    const { saved, leftOut } = await roundTripRedacted(workspace(outputs));
    expect(leftOut).toEqual(["infra.json"]);
    expect(JSON.stringify(saved)).not.toContain(SECRET);
  });

  it("can be keys: only those that occur in manifests are kept", async () => {
    const outputs = `{"x": {"sensitive": true, "type": ["object", {"${SECRET}": "string"}], "value": {"${SECRET}": "a", "größe": "b"}}}`;
    const { saved } = await roundTripRedacted(workspace(outputs));
    expect(JSON.stringify(saved)).not.toContain(SECRET);
    expect(saved.outputs[0]?.content).toBe('{"x": {"sensitive": true, "type": "dynamic", "value": {"größe": "(sensitive)"}}}');
  });

  it("are replaced by values of the same type, without changing any other byte", async () => {
    const text = '{\r\n  "a": {"value": "é"},\n  "b": {"sensitive": true, "value": {"x": ["x", 2], "n": 1.5, "t": true, "z": null}} }\n';
    const before = workspace(text);
    before.manifests[0]!.content += "n t z";
    const { saved, withheld } = await roundTripRedacted(before);
    expect(withheld).toEqual(["infra.b"]);
    expect(saved.outputs[0]?.content).toBe(
      '{\r\n  "a": {"value": "é"},\n  "b": {"sensitive": true, "value": {"x": ["(sensitive)"], "n": 0, "t": false, "z": null}} }\n',
    );
  });

  it.each([
    ["dotenv", `# ${SECRET}\nx=${SECRET}\n`],
    ["yaml", `x: ${SECRET} # ${SECRET}\n`],
  ])("in the format %s are left out", async (format, content) => {
    const before = workspace(content, true);
    before.outputs[0]!.format = format;
    const { saved, withheld } = await roundTripRedacted(before);
    expect(JSON.stringify(saved)).not.toContain(SECRET);
    expect(withheld).toEqual(["infra.x"]);
  });
});
