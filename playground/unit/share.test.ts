import { describe, expect, it } from "vitest";
import { open, share, withoutSecrets } from "../src/share";
import type { Saved } from "../src/state";
import old from "./fixtures/link.v1.json";

const SECRET = "hunter2-hunter2";

const workspace = (outputs: string, sensitive = false): Saved => ({
  manifests: [{ path: "a.yaml", content: "\uFEFFa: ${infra.x}\r\nb: größe 😀\r\n" }],
  outputs: [{ name: "infra", path: "infra.json", content: outputs, ...(sensitive && { sensitive }) }],
  open: "a.yaml",
});

async function there(saved: Saved) {
  const shared = await share(saved);
  if (shared.kind !== "link") throw new Error("no link");
  const opened = await open(shared.hash);
  if (opened.kind !== "workspace") throw new Error("not opened");
  return { ...shared, saved: opened.saved };
}

describe("a link", () => {
  it("brings every byte of what is not sensitive", async () => {
    const before = workspace('{"x": {"value": "größe 😀"}}\r\n');
    expect((await there(before)).saved).toEqual(before);
  });

  it("has only what an address can have", async () => {
    expect((await there(workspace("{}"))).hash).toMatch(/^#v1=[A-Za-z0-9_-]+$/);
  });

  it("made by the first version opens as it was", async () => {
    expect(await open(old.hash)).toEqual({ kind: "workspace", saved: old.saved });
  });

  it.each([
    ["#v2=AAAA", /version 2/],
    ["#v1=", /cannot be read/],
    ["#v1=%%%", /cannot be read/],
    [old.hash.slice(0, -9), /cannot be read/],
    ["#somewhere", /no link/],
    // `{"manifests":1}`
    ["#v1=q1bKTczLTMstLilWsjKsBQA", /cannot be read/],
  ])("%.20s is told about", async (hash, told) => {
    const opened = await open(hash);
    expect(opened.kind).toBe("broken");
    expect(opened.kind === "broken" && opened.message).toMatch(told);
  });

  it("does not unfold without end", async () => {
    const bomb = await share({ manifests: [{ path: "a", content: "a".repeat(17 * 1024 * 1024) }], outputs: [] });
    expect(bomb.kind).toBe("link");
    expect(await open(bomb.kind === "link" ? bomb.hash : "")).toMatchObject({ kind: "broken", message: /unfolds/ });
  });

  it("is not made of more than can be sent", async () => {
    const noise = Array.from(crypto.getRandomValues(new Uint8Array(65_536))).join("");
    expect((await share(workspace(`{"x": {"value": "${noise}"}}`))).kind).toBe("too-large");
  });
});

describe("secrets", () => {
  it.each([
    `{"x": {"sensitive": true, "type": "string", "value": "${SECRET}"}}`,
    `{"x": {"value": "${SECRET}", "sensitive": true}, "y": {"value": 1}}`,
    `{"x": {"sensitive": true, "value": {"a": ["${SECRET}", {"b": "${SECRET}"}]}}}`,
    // What stands twice, or is no bool, is sensitive for the core, too.
    `{"x": {"sensitive": true, "value": 1, "value": "${SECRET}"}}`,
    `{"x": {"sensitive": "yes", "value": "${SECRET}"}}`,
    `{"x": {"sensitive": false, "sensitive": true, "value": "${SECRET}"}}`,
    `{"x": {"value": "${SECRET}"}, "x": {"sensitive": true, "value": 1}}`,
    `{"x": {"sensitive": true, "value": "1", "deprecated": "${SECRET}"}}`,
    `{"x": {"s\\u0065nsitive": true, "value": "${SECRET}"}}`,
  ])("do not stand in it: %s", async (outputs) => {
    const { saved, withheld, hash } = await there(workspace(outputs));
    expect(JSON.stringify(saved)).not.toContain(SECRET);
    expect(atob(hash.slice(4).replaceAll("-", "+").replaceAll("_", "/"))).not.toContain(SECRET);
    expect(withheld).toEqual(["infra.x"]);
  });

  it("of a document that is sensitive altogether do not, either", async () => {
    const { saved } = await there(workspace(`{"x": {"value": "${SECRET}"}, "y": {"sensitive": false, "value": "${SECRET}"}}`, true));
    expect(JSON.stringify(saved)).not.toContain(SECRET);
  });

  it.each([
    `{"x": {"sensitive": true, "value": "${SECRET}"`,
    `{"x": {"sensitive": true, "value": "${SECRET}"}, "y": "${SECRET}"}`,
    `password: ${SECRET}`,
    `["${SECRET}"]`,
    `${"[".repeat(10_000)}"${SECRET}"`,
  ])("in what cannot be read take the document out: %.60s", async (outputs) => {
    const { saved, leftOut } = await there(workspace(outputs));
    expect(leftOut).toEqual(["infra.json"]);
    expect(JSON.stringify(saved)).not.toContain(SECRET);
  });

  it("can be keys: those that manifests name stay, and no others", async () => {
    const outputs = `{"x": {"sensitive": true, "type": ["object", {"${SECRET}": "string"}], "value": {"${SECRET}": "a", "größe": "b"}}}`;
    const { saved } = await there(workspace(outputs));
    expect(JSON.stringify(saved)).not.toContain(SECRET);
    expect(saved.outputs[0]?.content).toBe('{"x": {"sensitive": true, "type": "dynamic", "value": {"größe": "left out of the link"}}}');
  });

  it("leave their kind behind, and every other byte", () => {
    const text = '{\r\n  "a": {"value": "é"},\n  "b": {"sensitive": true, "value": {"k": ["x", 2], "n": 1.5, "t": true, "z": null}} }\n';
    const safe = withoutSecrets(text, false, () => true);
    expect(safe?.withheld).toEqual(["b"]);
    expect(safe?.text).toBe(
      '{\r\n  "a": {"value": "é"},\n  "b": {"sensitive": true, "value": {"k": ["left out of the link"], "n": 0, "t": false, "z": null}} }\n',
    );
  });
});
