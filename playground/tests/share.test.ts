/** Links contain the workspace without sensitive values. */
import { readFile } from "node:fs/promises";
import { deflateRawSync } from "node:zlib";
import { expect } from "vitest";
import { packed, unpacked } from "./driver/link";
import { test } from "./driver/visit";

const SECRETS = ["correct-horse-battery", "inner-secret-value", "9081726354"];

const MANIFEST = "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata: {name: 😀}\r\ndata:\r\n  id: ${infra.vpc_id}\r\n";

const STATE = {
  manifests: [
    { path: "a.yaml", content: MANIFEST },
    { path: "nested/b.yaml", content: "\ufeffb: ${network.größe}\n" },
  ],
  outputs: [
    {
      name: "infra",
      path: "infra.json",
      content: JSON.stringify({
        vpc_id: { sensitive: false, type: "string", value: "vpc-0ab1" },
        password: { sensitive: true, type: "string", value: SECRETS[0] },
        nested: { sensitive: true, type: ["object", { a: ["list", "string"] }], value: { a: [SECRETS[1]] } },
        pin: { sensitive: true, type: "number", value: Number(SECRETS[2]) },
      }),
    },
    { name: "network", path: "network.json", content: '{"größe": {"value": 4000}}' },
  ],
};

test("a link contains everything except sensitive values", async ({ visit }) => {
  const page = await visit.open(packed(STATE));
  const before = await page.result.text();
  const link = await page.link();
  expect(await page.id("share-note").textContent()).toMatch(/not included: the values of 3 sensitive/i);

  const { text } = unpacked(link);
  for (const secret of SECRETS) {
    expect(link).not.toContain(secret);
    expect(text).not.toContain(secret);
  }
  expect(text).toContain("vpc-0ab1");
  expect(page.page.url()).not.toContain(SECRETS[0]);

  const other = await visit.open(new URL(link).hash);
  expect(await other.result.text()).toBe(before);
  expect(await other.manifests.paths()).toEqual(await page.manifests.paths());
  expect(await other.outputs.paths()).toEqual(await page.outputs.paths());
  expect(await other.outputs.text()).toContain("password");
  expect(unpacked(await other.link()).state).toEqual(unpacked(link).state);
});

const STATE_FILE = `{"version": 4, "terraform_version": "1.9.0", "outputs": {"password": {"value": "${SECRETS[0]}", "type": "string", "sensitive": true}}, "resources": [${"{},".repeat(9)}{}]}`;

for (const [what, content] of [
  ["a state", STATE_FILE],
  ["a state without its end", STATE_FILE.slice(0, -40)],
  ["outputs", STATE.outputs[0]!.content],
  ["plain values", `{"password": "${SECRETS[0]}"}`],
  ["a dotenv file", `PASSWORD=${SECRETS[0]}\n`],
] as const) {
  test(`a link leaves out ${what} among the manifests`, async ({ visit }) => {
    const misplaced = { path: "misplaced.txt", content };
    const page = await visit.open(packed({ ...STATE, manifests: [...STATE.manifests, misplaced] }));
    const { text } = unpacked(await page.link());
    expect(text).not.toContain(SECRETS[0]);
    expect(text).toContain("nested/b.yaml");
    expect(await page.id("share-note").textContent()).toContain("misplaced.txt");
  });
}

test("a link with data of Secrets is created only after a question", async ({ visit }) => {
  const secret = { path: "db.yaml", content: `apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: ${SECRETS[0]}}\n` };
  const page = await visit.open(packed({ ...STATE, manifests: [secret] }));
  await page.id("share").click();
  await page.id("share-secrets-note").waitFor();
  expect(await page.id("share-secrets-note").textContent()).toContain("Secret db in db.yaml");
  await page.id("share-not").click();
  expect(await page.id("share-link").inputValue()).toBe("");
  await page.id("share").click();
  await page.id("share-anyway").click();
  await page.id("share-link").waitFor();
  expect(unpacked(await page.id("share-link").inputValue()).text).toContain(SECRETS[0]);
  expect(await page.id("share-note").textContent()).toContain("Secret db in db.yaml");
});

test("a link with values of a second Binding is created only after a question", async ({ visit }) => {
  const binding = (value: string) =>
    `apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n  outputs:\n    - {name: infra, from: {inline: {p: ${value}}}, sensitive: true}\n`;
  const manifests = [
    { path: "a/landfall.yaml", content: "apiVersion: landfall.dev/v1alpha1\nkind: Binding\n" },
    { path: "b/landfall.yaml", content: binding(SECRETS[0]!) },
  ];
  const page = await visit.open(packed({ manifests, outputs: [] }));
  await page.id("share").click();
  await page.id("share-secrets-note").waitFor();
  expect(await page.id("share-secrets-note").textContent()).toContain("b/landfall.yaml");
});

test("a link with text that is probably a key is created only after a question", async ({ visit }) => {
  const manifests = [{ path: "a.yaml", content: "a: 1\nkey: AKIAIOSFODNN7EXAMPLE\n" }];
  const page = await visit.open(packed({ manifests, outputs: [] }));
  await page.id("share").click();
  await page.id("share-secrets-note").waitFor();
  expect(await page.id("share-secrets-note").textContent()).toContain("what looks like a key in a.yaml:2");
});

test("a link leaves out an invalid outputs document", async ({ visit }) => {
  const [infra, network] = STATE.outputs;
  const broken = { ...infra!, content: `${infra!.content.slice(0, -1)},,` };
  const page = await visit.open(packed({ ...STATE, outputs: [broken, network] }));
  const { text } = unpacked(await page.link());
  for (const secret of SECRETS) expect(text).not.toContain(secret);
  expect(await page.id("share-note").textContent()).toContain("infra.json");
});

test("a link of the first version still opens", async ({ visit }) => {
  const link = (await readFile(new URL("fixtures/link-v1.txt", import.meta.url), "utf8")).trim();
  const page = await visit.open(link);
  expect(await page.manifests.paths()).toEqual(["app/a.yaml"]);
  expect(await page.result.text()).toBe("# 😀 of the first version\nvpc: vpc-0ab1\n");
});

const BROKEN: [string, string][] = [
  ["of a later version", "#v9=AAAA"],
  ["cut off", packed(STATE).slice(0, -40)],
  ["that is not base64url", "#v1=%%%"],
  ["with a binding name that is none", packed({ ...STATE, outputs: [{ ...STATE.outputs[1]!, name: "a\n---\nkind: x" }] })],
  ["with a format that is none", packed({ ...STATE, outputs: [{ ...STATE.outputs[1]!, format: "json\n    - name: x" }] })],
  ["of JSON that is not a workspace", `#v1=${deflateRawSync("[1,2]").toString("base64url")}`],
  ["of something other than JSON", `#v1=${deflateRawSync("\0\0nonsense").toString("base64url")}`],
  ["that unpacks to more than the limit", `#v1=${deflateRawSync(Buffer.alloc(200_000_000, 32)).toString("base64url")}`],
];
for (const [what, hash] of BROKEN) {
  test(`reports a link ${what} and stays usable`, async ({ visit }) => {
    const page = await visit.open(hash);
    await page.notice.first().waitFor();
    expect(await page.notice.first().textContent()).toMatch(/link/i);
    await page.manifests.write("a: b\n");
    expect(await page.result.text()).toBe("a: b\n");
  });
}
