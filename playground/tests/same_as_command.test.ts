/** The page gives what the command gives, to the byte, for every example there is. */
import { expect } from "vitest";
import { below, filesBelow, renderAll, specCases, type Case } from "./driver/cases";
import { packed, unpacked } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

/** How many pages work beside each other: most of the time each one waits. */
const PAGES = 4;

const EMPTY = packed({ manifests: [{ path: "a.yaml", content: "" }], outputs: [] });

/** What the page makes of a case. */
async function answer(page: Playground, { name: _, ...saved }: Case, nth: number): Promise<Map<string, Buffer> | undefined> {
  // A number makes each link another one, so that the page opens it.
  await page.change(() => page.page.evaluate((hash) => (location.hash = hash), packed({ nth, ...saved })));
  const rendered = below(await page.download(), "rendered");
  return rendered.size > 0 ? rendered : undefined;
}

test("every example of the documentation", { timeout: 110_000 }, async ({ visit }) => {
  const { cases, operators } = await specCases();
  expect(cases.length).toBeGreaterThan(400);
  const expected = await renderAll(cases);
  const wrong: string[] = [];
  let next = 0;
  const work = async () => {
    const page = await visit.open(EMPTY);
    for (let nth = next++; nth < cases.length; nth = next++) {
      const one = cases[nth]!;
      const [theirs, ours] = [expected[nth], await answer(page, one, nth)];
      if (!theirs || !ours) {
        if (theirs) wrong.push(`${one.name}\n  the command renders it, the page has errors`);
        if (ours) wrong.push(`${one.name}\n  the page renders it, the command has errors`);
        continue;
      }
      for (const [path, bytes] of theirs) {
        if (ours.get(path)?.equals(bytes)) continue;
        wrong.push(`${one.name}\n  command: ${JSON.stringify(bytes.toString())}\n  page:    ${JSON.stringify(ours.get(path)?.toString())}`);
      }
    }
  };
  await Promise.all(Array.from({ length: PAGES }, work));
  const rendered = expected.filter(Boolean).length;
  console.log(`${cases.length} examples: ${rendered} rendered, ${cases.length - rendered} refused; ${operators} with an operator's policy left out`);
  expect(wrong.join("\n")).toBe("");
});

const text = (files: Map<string, Buffer>) => [...files].map(([path, bytes]) => ({ path, content: bytes.toString("utf8") }));

for (const folder of ["app", "bootstrap"]) {
  test(`examples/karpenter/${folder}`, async ({ visit }) => {
    const terraform = (await filesBelow("examples/karpenter/outputs")).get("terraform.json")!;
    const sources = await filesBelow(`examples/karpenter/${folder}`);
    // A kustomization is no manifest of a folder.
    for (const path of sources.keys()) if (path.endsWith("kustomization.yaml")) sources.delete(path);
    const page = await visit.open(EMPTY);
    const ours = await answer(
      page,
      {
        name: folder,
        manifests: text(sources),
        resourcesOnly: true,
        outputs: [{ name: "infra", path: "outputs/terraform.json", content: terraform.toString("utf8") }],
      },
      0,
    );
    expect(text(ours ?? new Map())).toEqual(text(await filesBelow(`examples/karpenter/expected/${folder}`)));
  });
}

test("every example of the page's menu", { timeout: 60_000 }, async ({ visit }) => {
  const page = await visit.open();
  const options = page.id("examples").locator("option");
  const values = await options.evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
  const shown: Case[] = [];
  const ours: (Map<string, Buffer> | undefined)[] = [];
  for (const name of values.filter(Boolean)) {
    await page.change(() => page.id("examples").selectOption(name));
    const files = await page.download();
    const names = (await page.outputs.paths()).map((path) => path.split(", bound as "));
    const outputs = below(files, "outputs");
    const saved = unpacked(await page.link()).state as { resourcesOnly?: boolean };
    const hasBinding = below(files, "manifests").has("landfall.yaml");
    shown.push({
      name,
      resourcesOnly: saved.resourcesOnly ?? hasBinding,
      manifests: text(below(files, "manifests")),
      outputs: names.map(([path = "", name = ""]) => ({ name, path, content: outputs.get(path)?.toString("utf8") ?? "" })),
    });
    const rendered = below(files, "rendered");
    ours.push(rendered.size > 0 ? rendered : undefined);
  }
  expect(shown.length).toBeGreaterThan(20);
  const theirs = await renderAll(shown);
  for (const [nth, { name }] of shown.entries()) {
    expect(text(ours[nth] ?? new Map()), name).toEqual(text(theirs[nth] ?? new Map()));
  }
  // Chapters of the documentation come when they are chosen.
  page.forgive(/\/assets\/[\w-]+\.js$/);
});
