/** What takes too long is stopped, and the page goes on. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

const START = packed({
  manifests: [{ path: "a.yaml", content: "a: ${infra.a}\n" }],
  outputs: [{ name: "infra", path: "infra.json", content: '{"a": {"value": "one"}}\n' }],
});

/** Millions of references: no two seconds are enough for them. */
async function hostile(page: Playground): Promise<void> {
  await page.manifests.drop([{ path: "hostile.yaml", content: "- ${infra.a}\n".repeat(1000), times: 3000 }]);
  await page.id("try-again").waitFor({ timeout: 20_000 });
}

async function mended(page: Playground): Promise<void> {
  await page.manifests.root.getByTestId("delete-file").click();
  await page.ready();
  await page.manifests.write("b: ${infra.a}\n");
  expect(await page.result.text()).toBe("b: one\n");
  await expect.poll(() => page.id("try-again").count()).toBe(0);
}

test("the page says that it stopped, takes every key meanwhile, and recovers", async ({ visit }) => {
  const page = await visit.open(START);
  await hostile(page);
  expect((await page.notice.allTextContents()).join()).toMatch(/2 seconds|stopped/);
  await page.id("try-again").click();
  await page.id("try-again").waitFor({ timeout: 20_000 });
  await mended(page);
});

test("it recovers without a network too", async ({ visit }) => {
  const page = await visit.open(START);
  await page.page.context().setOffline(true);
  await hostile(page);
  await mended(page);
});
