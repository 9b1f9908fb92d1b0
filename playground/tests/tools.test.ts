/** The tools, which a second module does that is loaded when one of them runs. */
import { expect } from "vitest";
import type { Playground } from "./driver/playground";
import { test, type Visit } from "./driver/visit";

const OUTPUTS = JSON.stringify({ vpc_id: { value: "vpc-0ab1" }, zone: { value: "Z1" }, key: { value: "hunter2-hunter2", sensitive: true } });
const CONFIG_MAP = (vpc: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: net}\ndata:\n  vpc: ${vpc} # shared\n`;

/** Opens the page, allows it to load the second module, and writes both documents. */
async function open(visit: Visit, outputs: string, manifest: string): Promise<Playground> {
  const page = await visit.open();
  page.forgive(/\/assets\/(tools_worker|landfall_bg)-/);
  await page.outputs.write(outputs);
  await page.manifests.write(manifest);
  return page;
}

/** Runs a tool, and returns what it answers. */
async function run(page: Playground, tool: string): Promise<string> {
  if (!(await page.id("tools-form").isVisible())) await page.id("show-tools").click();
  const answer = page.id(`tool-${tool}-answer`);
  await page.id(`tool-${tool}`).first().click();
  await expect.poll(() => answer.textContent(), { timeout: 20_000 }).not.toMatch(/^(Working…)?$/);
  return (await answer.textContent()) ?? "";
}

test("writes references for values, which render to the same bytes and can be undone", async ({ visit }) => {
  const manifest = CONFIG_MAP("vpc-0ab1");
  const page = await open(visit, OUTPUTS, manifest);
  expect(await run(page, "adopt")).toContain("vpc-0ab1 → ${infra.vpc_id}");
  await page.change(() => page.id("tool-apply").click());
  expect(await page.manifests.text()).toBe(CONFIG_MAP("${infra.vpc_id}"));
  expect(await page.result.text()).toBe(manifest);
  await page.change(() => page.id("undo-tool").click());
  expect(await page.manifests.text()).toBe(manifest);
  await run(page, "adopt");
  await page.change(() => page.id("tool-apply").click());
  await page.manifests.write(manifest);
  expect(await page.id("undo-tool").count(), "it would undo what was typed since").toBe(0);
});

test("names where the value of a sensitive output is written, and does not show it", async ({ visit }) => {
  const page = await open(visit, OUTPUTS, CONFIG_MAP("hunter2-hunter2"));
  const answer = await run(page, "adopt");
  expect(answer).toContain("infra.key: it contains the value of a sensitive output");
  expect(answer).not.toContain("hunter2");
  expect(await page.id("tool-apply").count()).toBe(0);
});

test("compares with outputs that were kept, and covers what is sensitive in one of them", async ({ visit }) => {
  const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {key: '${infra.key}', vpc: '${infra.vpc_id}'}\n";
  const page = await open(visit, OUTPUTS, secret);
  expect(await run(page, "compare")).toContain("1 document kept");
  await page.id("tools-form").getByRole("button", { name: "Close" }).click();
  await page.outputs.write(OUTPUTS.replace("vpc-0ab1", "vpc-0ff2").replace("hunter2-hunter2", "hunter3-hunter3"));
  const answer = await run(page, "compare");
  expect(answer).toContain("2 changes");
  expect(answer).toContain('Secret/key stringData.vpc: "vpc-0ab1" → "vpc-0ff2" infra.vpc_id');
  expect(answer).toContain("(sensitive) → (sensitive) infra.key");
  expect(answer).not.toContain("hunter");
});

test("rewrites another dialect in landfall's own", async ({ visit }) => {
  const page = await open(visit, OUTPUTS, CONFIG_MAP("${vpc_id:=none}"));
  await page.id("show-tools").click();
  await page.id("tool-dialect").selectOption("flux");
  expect(await run(page, "migrate")).toContain('${vpc_id:=none} → ${infra.vpc_id | default("none")}');
  await page.change(() => page.id("tool-apply").click());
  expect(await page.result.text()).toBe(CONFIG_MAP("vpc-0ab1"));
});

test("makes the Applications of an ApplicationSet for the cluster Secrets beside it", async ({ visit }) => {
  const page = await open(visit, OUTPUTS, "");
  const cluster = (name: string) =>
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${name}\n  labels: {argocd.argoproj.io/secret-type: cluster}\nstringData: {name: ${name}, server: 'https://${name}', config: '{"bearerToken": "hunter2"}'}\n`;
  const set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: web}\nspec:\n  generators: [{clusters: {selector: {matchLabels: {argocd.argoproj.io/secret-type: cluster}}}}]\n  template:\n    metadata: {name: 'web-{{name}}'}\n    spec: {project: default, destination: {server: '{{server}}'}}\n";
  await page.manifests.drop([{ path: "set.yaml", content: set }, { path: "a.yaml", content: cluster("a") }, { path: "b.yaml", content: cluster("b") }]);
  const answer = await run(page, "expand");
  expect(answer).toContain("2 Applications: web-a, web-b.");
  expect(answer).not.toContain("hunter2");
});

test("writes a contract, and makes outputs for it", async ({ visit }) => {
  const page = await open(visit, OUTPUTS, CONFIG_MAP("${infra.vpc_id}"));
  const contract = await run(page, "contract");
  expect(contract).toContain("key: {type: string, sensitive: true}");
  expect(contract).not.toContain("hunter2");
  await page.id("tool-add").click();
  const sample = await run(page, "sample");
  expect(sample).toContain("infra.sample.json");
  expect(sample).toContain("is bound already");
  expect(await page.id("tool-sample-answer").getByTestId("tool-add").count(), "it would replace the outputs").toBe(0);
});

test("an Application has no value of a sensitive output", async ({ visit }) => {
  const page = await open(visit, OUTPUTS, "");
  const cluster = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  labels: {argocd.argoproj.io/secret-type: cluster}\nstringData: {name: a, server: '${infra.key}'}\n";
  const set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: web}\nspec:\n  generators: [{clusters: {}}]\n  template:\n    metadata: {name: 'web-{{name}}'}\n    spec: {project: default, destination: {server: '{{server}}'}}\n";
  await page.manifests.drop([{ path: "set.yaml", content: set }, { path: "a.yaml", content: cluster }]);
  const answer = await run(page, "expand");
  expect(answer).toContain("(sensitive)");
  expect(answer).not.toContain("hunter2");
});

test("does not write into documents that changed in the meantime", async ({ visit }) => {
  const page = await open(visit, OUTPUTS, CONFIG_MAP("vpc-0ab1"));
  await run(page, "adopt");
  const changed = `# another line\n${CONFIG_MAP("vpc-0ab1")}`;
  await page.manifests.drop([{ path: "shop.yaml", content: changed }]);
  await page.id("tool-apply").click();
  await expect.poll(() => page.notice.allTextContents().then((all) => all.join())).toContain("have changed in the meantime");
  expect(await page.manifests.text()).toBe(changed);
});

test("the stories of the fleet and of the plan show what they are about", async ({ visit }) => {
  const page = await visit.open("?example=fleet");
  page.forgive(/\?example=|\/assets\/(tools_worker|landfall_bg)-/);
  expect(await run(page, "expand")).toContain("2 Applications: shop-berlin, shop-oslo.");
  await page.id("tools-form").getByRole("button", { name: "Close" }).click();
  await page.change(() => page.id("examples").selectOption("plan"));
  expect(await run(page, "compare")).toContain("2 changes");
  await page.id("tools-form").getByRole("button", { name: "Close" }).click();
  await page.change(() => page.id("examples").selectOption("flux"));
  await page.id("show-tools").click();
  expect(await page.id("tool-compare").allTextContents(), "outputs of another example are not kept").toEqual(["Keep these outputs"]);
});

test("says why a tool cannot answer", async ({ visit }) => {
  const page = await open(visit, OUTPUTS, CONFIG_MAP("${infra.nothing}"));
  expect(await run(page, "adopt")).toMatch(/^These manifests do not render yet:.*nothing/);
  expect(await run(page, "expand")).toBe("There is no result yet: see Problems.");
  await page.id("tools-form").getByRole("button", { name: "Close" }).click();
  await page.manifests.write(CONFIG_MAP("${infra.vpc_id}"));
  expect(await run(page, "expand")).toContain("there is no ApplicationSet in these files");
  expect(await run(page, "sample")).toContain("is no contract that outputs can be made for");
});
