/** The stories of the examples menu. */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { stories } from "../src/stories";
import { storyOf, storyTexts } from "../src/story_files";

const PACKAGE = new URL("../../dist/browser/index.js", import.meta.url);

/** What the answer of each story has to show. */
const shown: Record<string, string> = {
  "leading-zero": 'account: "012345678901"',
  flux: "host: shop.example.com\n  region: eu-central-1\n  # Terraform's name is vpc-id.\n  vpc: vpc-0ab1",
  password: "the sensitive output `infra.db_password` is not allowed here",
  subnets: "subnets: subnet-0aa1,subnet-0bb2,subnet-0cc3\n",
  grafana: '"datasource": "${DS_PROMETHEUS}"',
  karpenter: "role: KarpenterNode-shop-prod",
  plan: "replicas: 4",
  fleet: "zone: Z0123456789BERLIN",
};

describe("stories", () => {
  it("are the folders of `stories`", async () => {
    expect(Object.keys(stories).sort()).toEqual((await readdir(new URL("../stories", import.meta.url))).sort());
  });

  it.each(Object.entries(storyTexts))("have one line, and a page of the documentation: %s", (_, { question, answer, attempt, page }) => {
    expect(question).toMatch(/\?$/);
    expect(attempt).toMatch(/ and see /);
    // On a phone, the line has four rows.
    expect(`${question} ${answer} ${attempt} Read more`.length).toBeLessThanOrEqual(190);
    expect(existsSync(new URL(`../../docs/${page}`, import.meta.url))).toBe(true);
  });

  const isSkipped = !existsSync(PACKAGE) && process.env.CI !== "true";
  it.skipIf(isSkipped).each(Object.keys(stories))("show their answer: %s", async (name) => {
    const { init, render } = (await import(/* @vite-ignore */ PACKAGE.href)) as typeof import("landfall");
    await init();
    const { manifests, outputs } = storyOf(name);
    const binding = manifests.find(({ path }) => path === "landfall.yaml");
    const rest = manifests.filter(({ path }) => path !== "landfall.yaml");
    const { files, diagnostics } = render({ manifests: rest, outputs, ...(binding && { binding }) } as Parameters<typeof render>[0]);
    const text = files?.map(({ content }) => content).join("") ?? diagnostics.map(({ message }) => message).join();
    expect(text).toContain(shown[name]);
  });
});
