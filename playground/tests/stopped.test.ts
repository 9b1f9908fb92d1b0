/** Rendering that takes too long is stopped, and the page recovers. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

const START = packed({
  manifests: [{ path: "a.yaml", content: "a: ${infra.a}\n" }],
  outputs: [{ name: "infra", path: "infra.json", content: '{"a": {"value": "one"}}\n' }],
});

/** Drops millions of references, which take longer than the time limit. */
async function hostile(page: Playground): Promise<void> {
  await page.manifests.drop([{ path: "hostile.yaml", content: "- ${infra.a}\n".repeat(1000), times: 3000 }]);
  await page.id("try-again").waitFor({ timeout: 20_000 });
}

async function fixed(page: Playground): Promise<void> {
  await page.manifests.root.getByTestId("delete-file").click();
  await page.ready();
  await page.manifests.write("b: ${infra.a}\n");
  expect(await page.result.text()).toBe("b: one\n");
  await expect.poll(() => page.id("try-again").count()).toBe(0);
}

test("reports that rendering was stopped, and recovers", async ({ visit }) => {
  const page = await visit.open(START);
  await hostile(page);
  expect((await page.notice.allTextContents()).join()).toMatch(/2 seconds|stopped/);
  await page.id("try-again").click();
  await page.id("try-again").waitFor({ timeout: 20_000 });
  await fixed(page);
});

test("recovers offline", async ({ visit }) => {
  const page = await visit.open(START);
  await page.page.context().setOffline(true);
  await hostile(page);
  await fixed(page);
});

test("does not offer the previous result after rendering was stopped", { timeout: 120_000 }, async ({ visit }) => {
  const page = await visit.open(START);
  await hostile(page);
  expect(await page.id("problems-tab").textContent()).toContain("?");
  await page.showProblems();
  expect(await page.page.locator("#problems").textContent()).toMatch(/2 seconds/);
  await expect.poll(() => page.id("problem-count").textContent()).toMatch(/2 seconds/);
  expect(await page.id("verdict").textContent()).toMatch(/2 seconds/);
  expect(await page.id("result-copy").isDisabled()).toBe(true);
  expect([...(await page.download()).keys()].filter((path) => path.startsWith("rendered/"))).toEqual([]);
  await fixed(page);
  expect(await page.id("result-copy").isEnabled()).toBe(true);
  expect(await page.id("problems-tab").textContent()).toContain("0");
});

test("does not offer the previous result while there are errors", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.write("a: ${infra.nope}\n");
  expect(await page.id("result-outdated").isVisible()).toBe(true);
  expect(await page.id("result-copy").isDisabled()).toBe(true);
  expect([...(await page.download()).keys()]).toEqual(["manifests/a.yaml", "outputs/infra.json", "README.md"]);
  // The diff is against the manifest that was rendered.
  await page.id("result-diff").click();
  expect(await page.result.text()).not.toContain("nope");
  await page.manifests.write("a: ${infra.a}\n");
  expect(await page.id("result-copy").isEnabled()).toBe(true);
});

test("reports that the module cannot be loaded", async ({ visit }) => {
  const page = await visit.open(START);
  page.forgive(/503/);
  await page.page.route(/\.wasm$/, (route) => route.fulfill({ status: 503, body: "" }));
  await page.page.reload();
  await page.notice.first().waitFor();
  expect(await page.notice.first().textContent()).toContain("landfall could not be loaded: the server returned 503.");
  expect(await page.id("version").textContent()).toBe("module not loaded");
});
