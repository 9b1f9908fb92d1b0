/** Beginning with one's own documents: what is pasted is recognized, and outputs come to a manifest. */
import { expect } from "vitest";
import type { Playground } from "./driver/playground";
import { test } from "./driver/visit";

const OUTPUTS = `{
  "vpc_id": {"sensitive": false, "type": "string", "value": "vpc-9"},
  "cluster.name": {"sensitive": false, "type": "string", "value": "prod"},
  "subnets": {"sensitive": false, "type": ["list", "string"], "value": ["a", "b"]},
  "password": {"sensitive": true, "type": "string", "value": "correct-horse"}
}
`;
const MANIFEST = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: mine}\n";

const notices = async (page: Playground) => (await page.notice.allTextContents()).join("\n");

for (const [how, bring] of [
  ["pasted", (page: Playground) => page.outputs.paste(OUTPUTS)],
  ["dropped", (page: Playground) => page.outputs.drop([{ path: "outputs.json", content: OUTPUTS }])],
] as const) {
  test(`offers a manifest with the names of outputs that are ${how} over the example`, async ({ visit }) => {
    const page = await visit.open();
    await bring(page);
    await page.id("start-manifest").click();
    await expect.poll(() => page.manifests.paths()).toEqual(["manifest.yaml"]);
    await page.ready();
    expect(await page.manifests.text()).toContain('vpc_id: "${infra.vpc_id}"');
    expect(await page.manifests.text()).toContain("kind: Secret");
    expect(await page.problems.filter({ hasText: /^error/ }).count()).toBe(0);
    expect(await page.result.text()).toContain('cluster.name: "prod"');
    expect(await page.result.text()).toContain(String.raw`subnets: "[\"a\",\"b\"]"`);
    await page.change(() => page.id("undo-replace").click());
    expect(await page.manifests.paths()).toEqual(["shop.yaml"]);
  });
}

test("moves outputs that are pasted among the manifests, and undoes that", async ({ visit }) => {
  const page = await visit.open();
  await page.change(() => page.id("examples").selectOption({ label: "Empty" }));
  await page.manifests.paste(OUTPUTS);
  await expect.poll(() => notices(page)).toContain("Recognized and moved. Outputs: outputs.json");
  expect(await page.manifests.text()).toBe("");
  await page.change(() => page.id("undo-files").click());
  expect(await page.manifests.text()).toBe(OUTPUTS);
  // Which can be undone, too.
  await page.change(() => page.id("undo-replace").click());
  expect(await page.manifests.text()).toBe("");
});

test("moves a manifest that is pasted among the outputs", async ({ visit }) => {
  const page = await visit.open();
  await page.change(() => page.id("examples").selectOption({ label: "Empty" }));
  await page.outputs.paste(MANIFEST);
  await expect.poll(() => page.manifests.text()).toBe(MANIFEST);
  expect(await page.outputs.text()).toBe("");
});

test("leaves a document where it is pasted if it may belong there", async ({ visit }) => {
  const page = await visit.open();
  await page.manifests.paste(MANIFEST);
  const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: outputs}\nstringData: {password: correct-horse}\n";
  await page.outputs.paste(secret);
  await page.page.waitForTimeout(300);
  expect(await page.manifests.text()).toBe(MANIFEST);
  expect((await page.download()).get("outputs/infra.json")?.toString()).toBe(secret);
  await page.outputs.paste("REGION=eu-west-1\n");
  await page.page.waitForTimeout(300);
  expect(await notices(page)).not.toContain("moved");
  expect((await page.download()).get("outputs/infra.json")?.toString()).toBe("REGION=eu-west-1\n");
});
