import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { examplesOf } from "../src/spec_page";

const at = (path: string) => new URL(`../../${path}`, import.meta.url);
const PACKAGE = at("dist/browser/index.js");

describe("pages of docs/language", () => {
  it("give one workspace for each example", async () => {
    for (const name of (await readdir(at("docs/language"))).filter((one) => one.endsWith(".md"))) {
      const page = await readFile(at(`docs/language/${name}`), "utf8");
      const operators = (page.match(/^```yaml operator/gm) ?? []).length;
      const sentences = (page.match(/^### it /gm) ?? []).length;
      // Examples with an operator policy are left out; a policy can also apply to a whole chapter.
      const examples = examplesOf(page);
      if (operators === 0) expect([name, examples.length]).toEqual([name, sentences]);
      for (const { saved } of examples) {
        for (const { path, content } of saved.outputs) if (path.endsWith(".json")) JSON.parse(content);
      }
    }
  });

  it("name the address that opens their examples", async () => {
    for (const file of (await readdir(at("docs/language"))).filter((one) => one.endsWith(".md"))) {
      const page = await readFile(at(`docs/language/${file}`), "utf8");
      const named = [...page.matchAll(/`\?example=([^`]*)`/g)].map(([, name]) => name);
      // The page opens `docs/language/<name>.md`: see `openNamed` in src/examples.ts.
      expect([file, named]).toEqual([file, examplesOf(page).length > 0 ? [file.replace(".md", "")] : []]);
    }
  });

  it("contain documents in other formats as they are", () => {
    const page = (info: string) => `### it works\n\`\`\`${info}\nA=b␠\n\`\`\`\n\`\`\`yaml manifest\na: b\n\`\`\`\n`;
    const outputs = (info: string) => examplesOf(page(info))[0]?.saved.outputs;
    expect(outputs("dotenv infra")).toEqual([{ name: "infra", path: "infra.dotenv", content: "A=b \n", format: "dotenv" }]);
    expect(outputs("json infra as-is")).toEqual([{ name: "infra", path: "infra.json", content: "A=b \n", format: "json" }]);
    expect(outputs("text infra")).toEqual([{ name: "infra", path: "infra.text", content: "A=b \n" }]);
  });

  it("keep invisible bytes", () => {
    const page = "## C\n```json infra\n{\"a!\": 1.50}\n```\n### it works\n```yaml manifest crlf bom no-eol\na: b␠\nc␉\n```\n";
    expect(examplesOf(page)).toEqual([
      {
        sentence: "works",
        saved: {
          manifests: [{ path: "manifest.yaml", content: "\uFEFFa: b \r\nc\t" }],
          outputs: [{ name: "infra", path: "infra.json", content: '{\n  "a": {"sensitive": true, "value": 1.50}\n}\n' }],
          open: "manifest.yaml",
          resourcesOnly: false,
        },
      },
    ]);
  });
});

describe("examples/first", () => {
  // Skipped only if vitest is run by hand, and never in CI: without the package,
  // `cargo xtask playground --test` does not start.
  const isSkipped = !existsSync(PACKAGE) && process.env.CI !== "true";
  if (isSkipped) console.warn("skipped: dist: dist/browser not found: run cargo xtask dist");
  it.skipIf(isSkipped)("renders to its folder `expected`", async () => {
    const { init, render } = (await import(/* @vite-ignore */ PACKAGE.href)) as typeof import("landfall");
    await init();
    const read = (path: string) => readFile(at(`examples/first/${path}`), "utf8");
    const { files, diagnostics } = render({
      manifests: [{ path: "shop.yaml", content: await read("shop.yaml") }],
      outputs: [{ name: "infra", path: "infra.json", content: await read("infra.json") }],
    });
    expect(diagnostics).toEqual([]);
    expect(files?.[0]?.content).toBe(await read("expected/shop.yaml"));
  });
});
