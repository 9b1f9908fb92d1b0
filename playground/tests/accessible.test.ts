/** axe finds nothing serious, in both themes, with dialogs and popups, on a desktop and on a phone. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

declare global {
  interface Window {
    axe: { run(context: Document, options: RunOptions): Promise<AxeResults> };
  }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns what axe calls serious or critical, with its elements. */
async function violations(page: Playground): Promise<string[]> {
  // Evaluated by the browser's debugger: the policy of the page allows no script of another origin.
  await page.page.evaluate(AXE);
  const { violations } = await page.page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${String(target)} ${failureSummary?.split("\n")[1]?.trim()}`));
}

const OUTPUTS = '{"vpc_id": {"value": "vpc-0ab1"}, "password": {"value": "correct-horse", "sensitive": true}}\n';
const START = packed({
  manifests: [
    { path: "a.yaml", content: "a: ${infra.vcp_id}\nb: ${infra.vpc_id}\n" },
    { path: "b.yaml", content: "a: ${infra.vpc_id}\n" },
    { path: "c.yaml", content: "a: 1\n" },
  ],
  outputs: [{ name: "infra", path: "infra.json", content: OUTPUTS }],
});

const STATES: [string, string, (page: Playground) => Promise<unknown>][] = [
  ["the first example", "", async () => {}],
  ["the diff", "", (page) => page.id("result-diff").click()],
  ["problems", START, (page) => page.showProblems()],
  ["a notice", "", (page) => page.outputs.write('{"mine": {"value": 1}}')],
  ["the dialog of a document", START, (page) => page.outputs.root.getByTestId("add-file").click()],
  ["the share dialog", START, (page) => page.id("share").click().then(() => page.id("share-link").waitFor())],
  ["the ways to use it", START, (page) => page.id("use-this").click().then(() => page.id("use").first().waitFor())],
  ["the settings", START, (page) => page.id("show-settings").click().then(() => page.id("setting-dialect").waitFor())],
  ["the tools", START, (page) => page.id("show-tools").click().then(() => page.id("tool-adopt").waitFor())],
  ["the keys", START, (page) => page.id("show-keys").click()],
];

const EDITING: typeof STATES = [
  [
    "completions",
    START,
    async (page) => {
      await page.manifests.editor.focus();
      await page.page.keyboard.press("ControlOrMeta+End");
      await page.page.keyboard.type("${infra.");
      await page.page.locator(".cm-tooltip-autocomplete").waitFor();
    },
  ],
  [
    "the tooltip of a problem",
    START,
    async (page) => {
      await page.manifests.editor.focus();
      await page.page.keyboard.press("F8");
      await page.page.locator(".cm-tooltip-lint").waitFor();
    },
  ],
];

/** Where a phone shows another pane at first. */
const PANES: Record<string, string> = {
  "the diff": "pane-result",
  "a notice": "pane-outputs",
  "the dialog of a document": "pane-outputs",
};

const LOOKS = [
  { name: "light", options: { colorScheme: "light" as const }, states: [...STATES, ...EDITING] },
  { name: "dark", options: { colorScheme: "dark" as const }, states: [...STATES, ...EDITING] },
  { name: "phone", options: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }, states: STATES },
];
for (const { name, options, states } of LOOKS) {
  for (const [what, hash, act] of states) {
    test(`nothing serious: ${what}, ${name}`, { timeout: 60_000 }, async ({ visit }) => {
      const page = await visit.open(hash, options);
      const pane = PANES[what];
      if (pane && name === "phone") await page.id(pane).click();
      await act(page);
      expect(await violations(page)).toEqual([]);
    });
  }
}
