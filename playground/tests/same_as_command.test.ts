/** The page renders every example of the repository to the same bytes as the command. */
import { expect } from "vitest";
import { below, filesBelow, renderAll, specCases, type Case, type Rendered } from "./driver/cases";
import { packed, unpacked } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

/** How many pages work in parallel; each of them mostly waits. */
const PAGES = 4;

const EMPTY = packed({ manifests: [{ path: "a.yaml", content: "" }], outputs: [] });

/** Renders cases in the page. */
async function answers(page: Playground, cases: Case[]): Promise<Rendered[]> {
  // The number makes each link unique, so that the page opens it.
  const links = cases.map(({ name: _, ...saved }, nth) => packed({ nth, ...saved }));
  return (await page.downloads(links)).map(rendered);
}

/** Returns the rendered files of an archive; `undefined` if there were errors. */
function rendered(archive: Map<string, Buffer>): Rendered {
  const files = below(archive, "rendered");
  return files.size > 0 ? files : undefined;
}

test("renders every example of the documentation as the command does", { timeout: 300_000 }, async ({ visit }) => {
  const { cases, operators } = await specCases();
  expect(cases.length).toBeGreaterThan(400);
  const expected = await renderAll(cases);
  const share = Math.ceil(cases.length / PAGES);
  const work = async (nth: number) => {
    const page = await visit.open(EMPTY);
    return answers(page, cases.slice(nth * share, (nth + 1) * share));
  };
  const ours = (await Promise.all(Array.from({ length: PAGES }, (_, nth) => work(nth)))).flat();
  const count = expected.filter(Boolean).length;
  console.log(`${cases.length} examples: ${count} rendered, ${cases.length - count} refused; ${operators} with an operator policy left out`);
  expect(ours.length).toBe(cases.length);
  const wrong = cases.flatMap(({ name }, nth) => difference(name, expected[nth], ours[nth]));
  expect(wrong.join("\n")).toBe("");
});

function difference(name: string, theirs: Rendered, ours: Rendered): string[] {
  const shown = (files: Rendered) => (files ? JSON.stringify(text(files)) : "errors, nothing rendered");
  return shown(theirs) === shown(ours) ? [] : [`${name}\n  command: ${shown(theirs)}\n  page:    ${shown(ours)}`];
}

/** Converts files to strings for comparison: UTF-8, or hexadecimal if they are not valid UTF-8. */
function text(files: Map<string, Buffer>): { path: string; content: string }[] {
  const shown = [...files].map(([path, bytes]) => {
    const content = bytes.toString("utf8");
    return { path, content: Buffer.from(content).equals(bytes) ? content : bytes.toString("hex") };
  });
  return shown.sort((a, b) => (a.path < b.path ? -1 : 1));
}

for (const folder of ["app", "bootstrap"]) {
  test(`renders examples/karpenter/${folder} as the command does`, async ({ visit }) => {
    const terraform = (await filesBelow("examples/karpenter/outputs")).get("terraform.json")!;
    const sources = await filesBelow(`examples/karpenter/${folder}`);
    // The command ignores kustomizations in a folder.
    for (const path of sources.keys()) if (path.endsWith("kustomization.yaml")) sources.delete(path);
    const page = await visit.open(EMPTY);
    const [ours] = await answers(page, [
      {
        name: folder,
        manifests: text(sources),
        resourcesOnly: true,
        outputs: [{ name: "infra", path: "outputs/terraform.json", content: terraform.toString("utf8") }],
      },
    ]);
    expect(text(ours ?? new Map())).toEqual(text(await filesBelow(`examples/karpenter/expected/${folder}`)));
  });
}

test("renders every example of the menu as the command does", { timeout: 60_000 }, async ({ visit }) => {
  const page = await visit.open();
  const options = page.id("examples").locator("option");
  const values = await options.evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
  const shown: Case[] = [];
  const ours: Rendered[] = [];
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
      // The page binds no document that is still empty.
      outputs: names.flatMap(([path = "", name = ""]) => {
        const content = outputs.get(path)?.toString("utf8");
        return content ? [{ name, path, content }] : [];
      }),
    });
    ours.push(rendered(files));
  }
  expect(shown.length).toBeGreaterThan(20);
  const theirs = await renderAll(shown);
  for (const [nth, { name }] of shown.entries()) {
    expect(text(ours[nth] ?? new Map()), name).toEqual(text(theirs[nth] ?? new Map()));
  }
  // Pages of the documentation are loaded on demand.
  page.forgive(/\/assets\/[\w-]+\.js$/);
});
