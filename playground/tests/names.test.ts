/** The names that a screen reader says for what can be operated, from Chromium's accessibility tree. */
import { expect } from "vitest";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

const OPERABLE = /^(button|link|textbox|combobox|tab|checkbox|splitter|separator|row)$/;

/** Returns what can be operated, as `role name`. */
async function operable(page: Playground): Promise<string[]> {
  const devtools = await page.page.context().newCDPSession(page.page);
  await devtools.send("Accessibility.enable");
  const { nodes } = await devtools.send("Accessibility.getFullAXTree");
  return nodes.flatMap(({ ignored, role, name }) =>
    !ignored && OPERABLE.test(String(role?.value)) ? [`${role!.value} ${String(name?.value ?? "").trim()}`] : [],
  );
}

const STATES: [string, (page: Playground) => Promise<unknown>, string[]][] = [
  [
    "the first example",
    async () => {},
    ["button Open files", "button Show secrets", "tab infra.json, bound as infra", "textbox Manifest shop.yaml", "textbox Result for shop.yaml", "separator Width of the outputs"],
  ],
  ["problems", (page) => page.manifests.write("a: ${infra.acount_id}\n"), ["tab Problems 1"]],
  ["the dialog of a document", (page) => page.outputs.root.getByTestId("add-file").click(), ["textbox Binding name", "combobox Format"]],
  ["the settings", (page) => page.id("show-settings").click().then(() => page.id("setting-dialect").waitFor()), ["combobox dialect", "combobox policy.missing"]],
  ["the ways to use it", (page) => page.id("use-this").click().then(() => page.id("use").first().waitFor()), ["link more about Argo CD"]],
  ["the share dialog", (page) => page.id("share").click().then(() => page.id("share-link").waitFor()), ["textbox Link"]],
  ["the tools", (page) => page.id("show-tools").click().then(() => page.id("tool-adopt").waitFor()), ["combobox Dialect", "button Find values"]],
  ["the keys", (page) => page.id("show-keys").click(), ["button Close"]],
];

for (const [what, act, some] of STATES) {
  test(`each control has a name of its own: ${what}`, async ({ visit }) => {
    const page = await visit.open();
    await act(page);
    const all = await operable(page);
    expect(all.filter((one) => !one.includes(" ") || one.endsWith(" "))).toEqual([]);
    expect(all.filter((one, nth) => all.indexOf(one) !== nth), "two with the same name").toEqual([]);
    for (const one of some) expect(all).toContain(one);
  });
}
