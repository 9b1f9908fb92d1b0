/** What visitors take home: the download, the ways to run it elsewhere, and a shared workspace as text. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { below } from "./driver/cases";
import { packed } from "./driver/link";
import { test } from "./driver/visit";

const CONFIGMAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: '${infra.a}', b: '${net.b}'}\n";
const SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: '${infra.a}'}\n";
const infra = { name: "infra", path: "infra.json", content: '{"a": {"value": "one"}}\n' };
const net = { name: "net", path: "it's net.json", content: '{"b": {"value": "two"}}\n' };

const WORKSPACES: [string, string][] = [
  ["the first example", ""],
  ["several files with two outputs documents", packed({ manifests: [{ path: "x/a b.yaml", content: CONFIGMAP }, { path: "s.yaml", content: SECRET }], outputs: [infra, net] })],
  ["a snippet that is no resource", packed({ manifests: [{ path: "a.yaml", content: "a: ${infra.a}\n" }], outputs: [infra] })],
  ["a document that is sensitive", packed({ manifests: [{ path: "s.yaml", content: SECRET }], outputs: [{ ...infra, sensitive: true }] })],
  [
    "a Binding",
    packed({
      manifests: [
        { path: "s.yaml", content: SECRET },
        { path: "landfall.yaml", content: "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec: {manifests: {include: [s.yaml]}}\n" },
      ],
      outputs: [infra],
    }),
  ],
];

for (const [what, hash] of WORKSPACES) {
  test(`the command of the download renders what the page shows: ${what}`, async ({ visit }) => {
    const page = await visit.open(hash);
    const files = await page.download();
    const folder = mkdtempSync(join(tmpdir(), "landfall-playground-"));
    try {
      for (const [path, content] of files) {
        if (path.startsWith("rendered/")) continue;
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), content);
      }
      const [, command = ""] = /```sh\n(.*)\n```/s.exec(files.get("README.md")!.toString()) ?? [];
      expect(command).toContain("landfall render");
      const PATH = `${dirname(process.env.LANDFALL_BIN ?? "")}:${process.env.PATH}`;
      const stdout = execFileSync("sh", ["-euc", command.replace("--output-dir rendered", "--output-dir again")], { cwd: folder, env: { ...process.env, PATH } });
      expect(stdout.toString()).toBe("");
      const again = (path: string) => execFileSync("cat", [join(folder, "again", path)]).toString();
      const rendered = [...below(files, "rendered")];
      expect(rendered.length).toBeGreaterThan(0);
      for (const [path, content] of rendered) expect(again(path), path).toBe(content.toString());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };

test("shows what runs the workspace elsewhere, to copy", async ({ visit }) => {
  const page = await visit.open(packed({ manifests: [{ path: "app.yaml", content: CONFIGMAP }], outputs: [infra, net] }), clipboard);
  await page.id("use-this").click();
  const uses = page.id("use");
  await uses.first().waitFor();
  const words = (await uses.allTextContents()).join("\n");
  for (const one of ["landfall render manifests -b infra=outputs/infra.json -b 'net=outputs/it'\\''s net.json'", "landfall check manifests", "kind: Application", "plugin: {name: landfall}", "transformers: [bind.yaml]", "    config.kubernetes.io/function: |\n      exec: {path: landfall, args: [krm]}\n", "- app.yaml"]) {
    expect(words).toContain(one);
  }
  await uses.first().getByRole("button").click();
  await expect.poll(() => page.page.evaluate(() => navigator.clipboard.readText())).toMatch(/^landfall render manifests/);
});

test("leads to the docs, the repository and how to install", async ({ visit }) => {
  const page = await visit.open();
  const links = await page.page.locator("footer a").evaluateAll((all) => all.map((one) => [one.textContent, (one as HTMLAnchorElement).href]));
  expect(links.map(([name]) => name)).toEqual(["docs", "install", "repository"]);
  for (const [, address] of links) expect(address).toMatch(/^https:\/\//);
});

test("copies a link, Markdown and a bug report without secrets", async ({ visit }) => {
  const outputs = [{ ...infra, content: '{"a": {"value": "correct-horse", "sensitive": true}}\n' }];
  const page = await visit.open(packed({ manifests: [{ path: "s.yaml", content: `${SECRET}# \`\`\`\n` }], outputs }), clipboard);
  const copied = () => page.page.evaluate(() => navigator.clipboard.readText());
  await page.id("share").click();
  await page.id("share-link").waitFor();
  await expect.poll(copied).toMatch(/^http.*#v1=/);
  await page.id("share-markdown").click();
  await expect.poll(copied).toContain("`s.yaml`\n\n````yaml\napiVersion: v1");
  expect(await copied()).toContain("[Open it in the playground](http");
  expect(await copied()).not.toContain("correct-horse");
  await page.id("share-report").click();
  await expect.poll(copied).toContain("### To reproduce");
  expect(await copied()).toMatch(/landfall \d+\.\d+\.\d+, module sha256:/);
  expect(await copied()).not.toContain("correct-horse");
});
