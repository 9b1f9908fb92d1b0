/** The line between the panes and the lists, and that nothing moves when its content changes. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

declare global {
  interface Window {
    shifts?: string[];
  }
}

const OUTPUTS = '{"vpc_id": {"value": "vpc-0ab1"}, "password": {"value": "correct-horse", "sensitive": true}}\n';
const start = (content: string, outputs = OUTPUTS) =>
  packed({ manifests: [{ path: "a.yaml", content }], outputs: [{ name: "infra", path: "infra.json", content: outputs }] });
const SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  p: ${infra.password}\n";
const CONFIGMAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  v: ${infra.vpc_id}\n  w: $${infra.vpc_id}\n";

const words = async (page: Playground) => (await page.id("verdict").textContent()) ?? "";

const VERDICTS: [string, string, string | RegExp][] = [
  ["values and untouched lines", "a: ${infra.vpc_id}\nb: 1\nc: ${infra.vpc_id} ${infra.vpc_id}\n", "3 values inserted, 1 of 3 lines untouched"],
  ["a secret in a Secret", SECRET, "1 value inserted, 4 of 5 lines untouched, 1 secret, only in a Secret"],
  ["an escape, which changes a line without a value", CONFIGMAP, "1 value inserted, 4 of 6 lines untouched"],
  ["Windows line breaks", CONFIGMAP.replaceAll("\n", "\r\n"), "1 value inserted, 4 of 6 lines untouched"],
  ["a variable of another tool", "a: ${CLUSTER}\n", "Nothing to insert: ${CLUSTER} names no bound output and stays as it is."],
  ["a manifest without references", "a: 1\n", "Nothing to insert: no manifest has a reference such as ${infra.password}"],
];
for (const [what, manifest, expected] of VERDICTS) {
  test(`sums up ${what}`, async ({ visit }) => {
    const page = await visit.open(start(manifest));
    expect(await words(page)).toContain(expected);
  });
}

test("is calm while the page is empty", async ({ visit }) => {
  const page = await visit.open();
  await page.change(() => page.id("examples").selectOption({ label: "Empty" }));
  expect(await words(page)).toBe("Paste or drop manifests and outputs to begin.");
  expect(await page.problems.count()).toBe(0);
  await page.outputs.write(OUTPUTS);
  expect(await words(page)).toContain("Write or drop a manifest to begin.");
});

for (const options of [{}, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }]) {
  test(`shows the words of the first error and its fix, ${"isMobile" in options ? "phone" : "desktop"}`, async ({ visit }) => {
    const page = await visit.open(start("a: ${infra.vcp_id}\nb: ${infra.nothing}\n"), options);
    await expect.poll(() => words(page)).toContain("a.yaml:1:12 infra has no output vcp_id");
    expect(await page.id("verdict").locator("code").allTextContents()).toEqual(["infra", "vcp_id", "vpc_id"]);
    expect(await words(page)).toContain("2 errors");
    expect(await page.id("verdict").isVisible()).toBe(true);
    await page.change(() => page.id("verdict-fix").click());
    expect(await page.manifests.text()).toContain("${infra.vpc_id}");
  });
}

test("shows an error only after a pause in typing", async ({ visit }) => {
  const page = await visit.open(start("a: ${infra.vpc_id}\n"));
  const before = await words(page);
  await page.manifests.write("a: ${infra.nothing}\n");
  expect(await words(page)).toBe(before);
  await expect.poll(() => words(page)).toContain("has no output");
  await page.manifests.write("a: ${infra.vpc_id}\n");
  expect(await words(page)).toBe(before);
});

/** Collects the elements that move, also right after input, which browsers do not count. */
async function watchShifts(page: Playground): Promise<() => Promise<string[]>> {
  await page.page.evaluate(() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; sources: { node: Node | null }[] })[]) {
        const moved = entry.sources.flatMap(({ node }) => {
          const element = node instanceof Element ? node : node?.parentElement;
          // Text that is typed moves the text behind it; a removed node has moved nothing.
          if (!element || element.closest(".cm-content")) return [];
          return [`${element.tagName}.${element.className}#${element.id}`];
        });
        if (moved.length > 0) window.shifts?.push(`${entry.value.toFixed(4)} ${moved.join(" ")}`);
      }
    }).observe({ type: "layout-shift", buffered: false });
  });
  return async () => {
    await page.page.waitForTimeout(100);
    return (await page.page.evaluate(() => window.shifts)) ?? [];
  };
}

for (const options of [{}, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }]) {
  test(`nothing outside the text that is typed moves, ${"isMobile" in options ? "phone" : "desktop"}`, async ({ visit }) => {
    const page = await visit.open(start("a: 1\n"), options);
    const shifts = await watchShifts(page);
    await page.manifests.editor.focus();
    await page.page.keyboard.press("ControlOrMeta+End");
    await page.page.keyboard.type("b: ${infra.", { delay: 30 });
    await page.page.locator(".cm-tooltip-autocomplete").waitFor();
    await page.page.keyboard.type("vp", { delay: 60 });
    await page.page.keyboard.press("Escape");
    await page.page.keyboard.type("c_ix} # wrong", { delay: 30 });
    await expect.poll(() => words(page)).toContain("has no output");
    await page.change(() => page.id("verdict-fix").click());
    await expect.poll(() => words(page)).toContain("1 value inserted");
    expect(await shifts()).toEqual([]);
  });
}

test("marks an outdated result without moving it", async ({ visit }) => {
  const page = await visit.open(start("a: ${infra.vpc_id}\n"));
  expect(await page.id("result-outdated").isVisible()).toBe(false);
  const before = await page.result.editor.boundingBox();
  await page.manifests.write("a: ${infra.nothing}\n");
  expect(await page.id("result-outdated").isVisible()).toBe(true);
  expect(await page.result.editor.boundingBox()).toEqual(before);
});
