/** No single click loses the user's work. */
import { expect } from "vitest";
import { packed } from "./driver/link";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

const INFRA = { name: "infra", path: "infra.json", content: '{"a": {"value": "one"}}\n' };
const LINK = packed({ manifests: [{ path: "linked.yaml", content: "a: ${infra.a}\n" }], outputs: [INFRA] });

const choose = (page: Playground, label: string) =>
  page.change(() => page.id("examples").selectOption({ label }));

test("restores work that an example replaced", async ({ visit }) => {
  const page = await visit.open();
  await page.manifests.write("own: work\n");
  await page.outputs.write('{"mine": {"value": 1}}');
  await choose(page, "Karpenter");
  await choose(page, "Flux variables");
  await page.change(() => page.id("undo-replace").click());
  expect(await page.manifests.text()).toBe("own: work\n");
  expect(await page.outputs.text()).toBe('{"mine": {"value": 1}}');
  expect(await page.result.text()).toBe("own: work\n");
  expect(await page.id("examples").inputValue()).toBe("");
  expect(await page.id("undo-replace").count()).toBe(0);
  // The undo history is restored, too.
  await page.manifests.editor.focus();
  await page.change(() => page.page.keyboard.press("ControlOrMeta+z"));
  expect(await page.manifests.text()).toContain("kind: ");
});

test("restoring work keeps what was typed since", async ({ visit }) => {
  const page = await visit.open();
  await page.manifests.write("first: work\n");
  await choose(page, "Karpenter");
  await page.manifests.write("second: work\n");
  await page.change(() => page.id("undo-replace").click());
  expect(await page.manifests.text()).toBe("first: work\n");
  await page.change(() => page.id("undo-replace").click());
  expect(await page.manifests.text()).toBe("second: work\n");
});

test("replaces an unchanged example without a notice", async ({ visit }) => {
  const page = await visit.open();
  await choose(page, "Karpenter");
  expect(await page.notice.count()).toBe(0);
});

test("restores work that a link replaced", async ({ visit }) => {
  const page = await visit.open();
  await page.manifests.write("own: work\n");
  await page.change(() => page.page.evaluate((hash) => void (location.hash = hash), LINK));
  expect(await page.manifests.paths()).toEqual(["linked.yaml"]);
  await page.change(() => page.id("undo-replace").click());
  expect(await page.manifests.text()).toBe("own: work\n");
  expect(new URL(page.page.url()).hash).toBe("");
});

test("keeps a link in the address until the workspace changes", async ({ visit }) => {
  const page = await visit.open(LINK);
  const hash = () => new URL(page.page.url()).hash;
  expect(hash()).toBe(LINK);
  await page.manifests.write("newer: work\n");
  expect(hash()).toBe("");
  const link = await page.link();
  expect(hash()).toBe(new URL(link).hash);
  await page.page.reload();
  await page.ready();
  expect(await page.manifests.text()).toBe("newer: work\n");
  await choose(page, "Overview");
  expect(hash()).toBe("");
});

test("keeps an invalid link in the address", async ({ visit }) => {
  const page = await visit.open("#v9=AAAA");
  expect(new URL(page.page.url()).hash).toBe("#v9=AAAA");
});

test("does not treat the skip link as a workspace link", async ({ visit }) => {
  const page = await visit.open();
  await page.page.locator(".skip").focus();
  await page.page.keyboard.press("Enter");
  await expect.poll(() => new URL(page.page.url()).hash).toBe("#manifests");
  await page.page.waitForTimeout(50);
  expect(await page.notice.count()).toBe(0);
});

const OWN = { path: "app.yaml", content: "mine: ${infra.b}\n" };
const TERRAFORM = { path: "terraform.json", content: '{"b": {"value": "two"}}\n' };

const notices = async (page: Playground) => (await page.notice.allTextContents()).join("\n");

for (const [what, files] of [
  ["manifests first", [OWN, TERRAFORM]],
  ["outputs first", [TERRAFORM, OWN]],
] as const) {
  test(`replaces an example by imported files, ${what}`, async ({ visit }) => {
    const page = await visit.open();
    for (const file of files) await page.change(() => page.manifests.drop([file]));
    expect(await page.manifests.paths()).toEqual(["app.yaml"]);
    expect(await page.outputs.paths()).toEqual(["terraform.json, bound as infra"]);
    expect(await page.result.text()).toBe("mine: two\n");
  });
}

test("reports which part of an example was removed", async ({ visit }) => {
  const page = await visit.open();
  await page.change(() => page.manifests.drop([TERRAFORM]));
  expect(await notices(page)).toContain("Outputs: terraform.json (bound as infra).");
  expect(await notices(page)).toContain("The example's outputs were removed; its manifests stay until you add your own.");
  await page.change(() => page.manifests.drop([OWN]));
  expect(await notices(page)).toContain("The example's manifests were removed.");
  await page.change(() => page.manifests.drop([{ path: "more.yaml", content: "a: 1\n" }]));
  expect(await notices(page)).not.toContain("example");
});

test("keeps the changed documents of an example", async ({ visit }) => {
  const page = await visit.open();
  await page.outputs.write('{"a": {"value": "one"}}\n');
  await page.change(() => page.manifests.drop([TERRAFORM]));
  expect(await page.outputs.paths()).toEqual(["infra.json, bound as infra", "terraform.json, bound as terraform"]);
});

const THREE = packed({
  manifests: ["a", "b", "c"].map((name) => ({ path: `${name}.yaml`, content: `${name}: 1\n` })),
  outputs: [INFRA],
});

/** The accessible name of the focused element. */
const focus = (page: Playground) =>
  page.page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.tagName);

test("restores a deleted file under another path if its own is in use", async ({ visit }) => {
  const page = await visit.open(THREE);
  const pane = page.manifests;
  await pane.tabs.nth(1).click();
  await page.change(() => pane.root.getByTestId("delete-file").click());
  await pane.root.getByTestId("add-file").click();
  await page.id("document-path").fill("b.yaml");
  await page.change(() => page.id("document-done").click());
  await pane.write("newer: work\n");
  await page.change(() => page.id("undo-delete").click());
  expect(await pane.paths()).toEqual(["a.yaml", "b-2.yaml", "c.yaml", "b.yaml"]);
  expect(await pane.text()).toBe("b: 1\n");
  await pane.tabs.nth(3).click();
  expect(await pane.text()).toBe("newer: work\n");
});

test("restores deleted outputs under another binding name if their own is in use", async ({ visit }) => {
  const page = await visit.open(THREE);
  await page.change(() => page.outputs.root.getByTestId("delete-file").click());
  await page.change(() => page.outputs.drop([{ path: "other.json", content: '{"x": {"value": 1}}' }]));
  await page.change(() => page.id("undo-delete").click());
  expect(await page.outputs.paths()).toEqual(["infra.json, bound as infra_2", "other.json, bound as infra"]);
});

test("keeps the focus in the tabs when a file is deleted and restored", async ({ visit }) => {
  const page = await visit.open(THREE);
  const remove = (name: "manifests" | "outputs") => page.change(() => page.pane(name).root.getByTestId("delete-file").click());
  await page.manifests.tabs.nth(1).click();
  await page.manifests.tabs.nth(1).press("Delete");
  await page.ready();
  expect(await focus(page)).toBe("c.yaml");
  await remove("manifests");
  expect(await focus(page)).toBe("a.yaml");
  await page.change(() => page.id("undo-delete").last().click());
  expect(await page.manifests.paths()).toEqual(["a.yaml", "c.yaml"]);
  expect(await focus(page)).toBe("c.yaml");
  await remove("outputs");
  expect(await focus(page)).toBe("New outputs document");
});

test("keeps the text and undo history of a renamed document", async ({ visit }) => {
  const page = await visit.open(packed({ manifests: [{ path: "a.json", content: "a: 1\r\nb: 2\n" }], outputs: [INFRA] }));
  const { editor, root } = page.manifests;
  const before = await page.manifests.text();
  await editor.focus();
  await page.change(() => page.page.keyboard.type("#"));
  await root.getByTestId("rename-file").click();
  await page.id("document-path").fill("b.yaml");
  await page.change(() => page.id("document-done").click());
  expect(await editor.getAttribute("aria-label")).toBe("Manifest b.yaml");
  // The syntax colours are those of the new extension.
  expect(await root.locator(".tok-key").allTextContents()).toEqual(["b"]);
  await editor.focus();
  await page.change(() => page.page.keyboard.press("ControlOrMeta+z"));
  expect(await page.manifests.text()).toBe(before);
  expect((await page.download()).get("manifests/b.yaml")?.toString()).toBe("a: 1\r\nb: 2\n");
});

test("restores documents that imported files with the same paths replaced", async ({ visit }) => {
  const page = await visit.open(LINK);
  await page.manifests.write("own: work\n");
  await page.manifests.drop([{ path: "linked.yaml", content: "dropped: 1\n" }]);
  await expect.poll(() => page.manifests.text()).toBe("dropped: 1\n");
  await page.change(() => page.id("undo-files").click());
  expect(await page.manifests.text()).toBe("own: work\n");
  expect(await page.result.text()).toBe("own: work\n");
  // A file with the same text replaces nothing.
  await page.manifests.drop([{ path: "linked.yaml", content: "own: work\n" }]);
  await expect.poll(async () => (await page.notice.allTextContents()).join()).toContain("linked.yaml");
  expect(await page.id("undo-files").count()).toBe(0);
});
