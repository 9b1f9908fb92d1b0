/** Tooltips that explain what is on the page. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { PaneName, Playground } from "./driver/playground";
import { test } from "./driver/visit";

const MANIFEST = `apiVersion: v1
kind: Secret
metadata: {name: s}
stringData:
  account: \${infra.account}
  joined: \${infra.zones | join(",")}
  home: \${HOME}
  escape: $\${infra.account}
  password: \${infra.password}
`;
const OUTPUTS = `{
  "account": {"value": "0123"},
  "zones": {"value": ["a", "b"]},
  "password": {"sensitive": true, "value": "correct-horse"},
  "unused": {"value": 1}
}
`;
const START = packed({
  manifests: [{ path: "s.yaml", content: MANIFEST }],
  outputs: [{ name: "infra", path: "infra.json", content: OUTPUTS }],
});

/** Puts the cursor on a line and column, and returns what the tooltip at the cursor says. */
async function explained(page: Playground, pane: "manifests" | "outputs", line: number, column: number): Promise<string> {
  const { keyboard } = page.page;
  await page.pane(pane).editor.focus();
  await keyboard.press("ControlOrMeta+Home");
  for (let n = 1; n < line; n++) await keyboard.press("ArrowDown");
  await keyboard.press("Home");
  for (let n = 1; n < column; n++) await keyboard.press("ArrowRight");
  await keyboard.press("ControlOrMeta+i");
  const tooltip = page.pane(pane).root.locator(".value-tooltip");
  await tooltip.waitFor();
  const words = (await tooltip.innerText()) ?? "";
  await keyboard.press("Escape");
  await expect.poll(() => tooltip.count()).toBe(0);
  return words;
}

/** Returns what the tooltip of words under the mouse says. */
async function hovered(page: Playground, pane: PaneName, words: string): Promise<string> {
  await page.pane(pane).point(words);
  const tooltip = page.pane(pane).root.locator(".cm-tooltip-hover .value-tooltip");
  await tooltip.waitFor();
  return (await tooltip.innerText()) ?? "";
}

test("explains references, functions, text and escapes in a manifest at the cursor", async ({ visit }) => {
  const page = await visit.open(START);
  const reference = await explained(page, "manifests", 5, 16);
  for (const part of ["infra.account string", "0123", "from infra.json:2", "without quotes YAML reads a number"]) expect(reference).toContain(part);
  expect(await explained(page, "manifests", 6, 28)).toContain("join(separator)");
  expect(await explained(page, "manifests", 7, 12)).toContain("No binding has the name HOME");
  expect(await explained(page, "manifests", 8, 16)).toContain("Becomes ${infra.account}");
});

test("explains names while there are errors, and an error only once", async ({ visit }) => {
  const page = await visit.open(START);
  await page.manifests.write("a: ${infra.account} ${infra.nope}\n");
  expect(await explained(page, "manifests", 1, 14)).toContain("infra.account string");
  // An error at the name of an output that the core could explain as well.
  await page.manifests.write("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  p: ${infra.password}\n");
  await page.manifests.point("password");
  await page.page.locator(".cm-tooltip-hover .cm-diagnostic").waitFor();
  // A second tooltip would follow the answer of the core.
  await page.page.waitForTimeout(300);
  expect(await page.page.locator(".value-tooltip").count()).toBe(0);
  expect(await page.page.locator(".cm-diagnostic").count()).toBe(1);
});

test("explains where a value in the result is from, by mouse and by key", async ({ visit }) => {
  const page = await visit.open(START);
  const words = await hovered(page, "result", "0123");
  for (const part of ["infra.account string", "from infra.json:2", "reference in s.yaml:5", "Quoted"]) expect(words).toContain(part);
  await page.substitutions.nth(1).focus();
  await page.result.editor.focus();
  await page.page.keyboard.press("ControlOrMeta+i");
  await expect.poll(() => page.result.root.locator(".value-tooltip").allInnerTexts().then((all) => all.join())).toContain("infra.zones");
});

test("explains where an output is used, and goes there", async ({ visit }) => {
  const page = await visit.open(START);
  expect(await explained(page, "outputs", 4, 6)).toMatch(/infra\.password string, sensitive\s+used in s\.yaml:9/);
  expect(await explained(page, "outputs", 5, 6)).toContain("infra.unused number");
  await page.manifests.write("a: ${infra.zones}\n".repeat(1) + Array.from({ length: 7 }, (_, n) => `b${n}: \${infra.zones}\n`).join(""));
  const words = await explained(page, "outputs", 3, 6);
  expect(words).toContain("infra.zones list");
  expect(words.match(/s\.yaml:/g)).toHaveLength(5);
  expect(words).toContain("and 3 more");
  await page.page.keyboard.press("ControlOrMeta+i");
  await page.outputs.root.getByRole("button", { name: "s.yaml:3" }).click();
  expect(await page.manifests.root.locator(".cm-activeLine").textContent()).toBe("b1: ${infra.zones}");
});

test("covers a sensitive value in a tooltip until it is shown", async ({ visit }) => {
  const page = await visit.open(START);
  expect(await explained(page, "manifests", 9, 18)).not.toContain("correct-horse");
  await page.id("show-secrets").click();
  expect(await explained(page, "manifests", 9, 18)).toContain("correct-horse");
  await page.page.keyboard.press("ControlOrMeta+i");
  await page.manifests.root.locator(".value-tooltip").waitFor();
  await page.id("show-secrets").click();
  await expect.poll(() => page.manifests.root.locator(".value-tooltip").count()).toBe(0);
});
