/** The Binding on the page: its settings, the completion of its keys, and manifests in other dialects. */
import { expect } from "vitest";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

const OUTPUTS = '{"vpc_id": {"value": "vpc-9"}}\n';
const FLUX = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: net}\ndata:\n  vpc: ${vpc_id}\n";

/** Adds a Binding with this text. */
async function addBinding(page: Playground, text: string): Promise<void> {
  await page.manifests.root.getByTestId("add-file").click();
  await page.id("document-path").fill("landfall.yaml");
  await page.change(() => page.id("document-done").click());
  await page.manifests.write(text);
}

const open = (page: Playground, path: string) => page.manifests.tabs.filter({ hasText: path }).click();

test("says that a manifest may be in another dialect, and reads it in that one", async ({ visit }) => {
  const page = await visit.open();
  await page.outputs.drop([{ path: "infra.json", content: OUTPUTS }, { path: "net.yaml", content: FLUX }]);
  const verdict = page.id("verdict");
  await expect.poll(() => verdict.textContent()).toContain("${vpc_id} names no bound output and stays as it is");
  await page.change(() => page.id("read-as").selectOption("flux"));
  await open(page, "landfall.yaml");
  expect(await page.manifests.text()).toContain("  dialect: flux\n");
  await open(page, "net.yaml");
  expect(await page.result.text()).toContain("vpc: vpc-9");
  expect(await verdict.textContent()).toContain("1 value inserted");
  expect(await page.id("read-as").count()).toBe(0);
});

test("writes settings into a new Binding, which counts at once and can be undone", async ({ visit }) => {
  const page = await visit.open();
  await page.outputs.write(OUTPUTS);
  await page.manifests.write(FLUX);
  await page.id("show-settings").click();
  await page.change(() => page.id("setting-policy.unused").selectOption("error"));
  expect(await page.manifests.paths()).toEqual(["shop.yaml", "landfall.yaml, the Binding"]);
  await page.id("settings-form").getByRole("button", { name: "Close" }).click();
  expect(await page.manifests.text()).toContain("  policy:\n    unused: error\n");
  expect(await page.problems.filter({ hasText: "unused-output" }).count()).toBeGreaterThan(0);
  await page.id("show-settings").click();
  expect(await page.id("setting-policy.unused").inputValue()).toBe("error");
});

test("completes the keys of a Binding and their values", async ({ visit }) => {
  const page = await visit.open();
  const { keyboard } = page.page;
  const options = page.page.locator(".cm-tooltip-autocomplete .cm-completionLabel");
  await addBinding(page, "apiVersion: landfall.dev/v1alpha1\nkind: Binding\nspec:\n");
  await keyboard.type("  dia");
  await expect.poll(() => options.allTextContents()).toEqual(["dialect"]);
  await keyboard.press("Enter");
  await expect.poll(() => options.allTextContents()).toContain("flux");
  await keyboard.type("fl");
  await expect.poll(() => options.allTextContents()).toEqual(["flux"]);
  await keyboard.press("Tab");
  expect(await page.manifests.text()).toContain("spec:\n  dialect: flux");
});

test("fixes another version of the Binding's format", async ({ visit }) => {
  const page = await visit.open();
  await addBinding(page, "apiVersion: landfall.dev/v1\nkind: Binding\nmetadata: {name: a}\nspec: {outputs: []}\n");
  await page.change(() => page.id("verdict-fix").click());
  expect(await page.manifests.text()).toContain("apiVersion: landfall.dev/v1alpha1\n");
});
