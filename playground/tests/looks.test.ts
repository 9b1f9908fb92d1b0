/**
 * Screenshots for review (`cargo xtask playground --test` prints the folder), and checks
 * of the layout.
 */
import { join } from "node:path";
import { expect } from "vitest";
import { packed } from "./driver/link";
import { test } from "./driver/visit";

const folder = process.env.LANDFALL_SCREENSHOTS ?? "";

const LOOKS = [
  { name: "light", viewport: { width: 1280, height: 800 }, colorScheme: "light" as const },
  { name: "dark", viewport: { width: 1280, height: 800 }, colorScheme: "dark" as const },
  { name: "phone", viewport: { width: 390, height: 844 }, colorScheme: "light" as const, isMobile: true, hasTouch: true },
];

for (const { name, ...options } of LOOKS) {
  test(`fits the first screen, ${name}`, async ({ visit }) => {
    const page = await visit.open("", options);
    await page.page.screenshot({ path: join(folder, `${name}.png`) });
    const { width, height } = await page.page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      height: innerHeight,
    }));
    expect(width, "nothing overflows to the right").toBeLessThanOrEqual(options.viewport.width);
    const heading = page.page.getByRole("heading", { level: 1 });
    const box = await heading.boundingBox();
    expect(box && box.y + box.height).toBeLessThan(height);
  });
}

const INFRA = {
  vpc_id: { sensitive: false, type: "string", value: "vpc-0ab1" },
  password: { sensitive: true, type: "string", value: "correct-horse" },
};
const SECRET =
  "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  password: ${infra.password}\n  vpc: ${infra.vpc_id}\n";

const STATES = [
  { name: "one-error", manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: net\ndata:\n  vpc: ${infra.vcp_id}\n" },
  { name: "2000-errors", manifest: Array.from({ length: 2000 }, (_, n) => `b${n}: \${infra.nothing_${n}}\n`).join("") },
  { name: "secret", manifest: SECRET },
  { name: "other-dialects", manifest: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: net}\ndata:\n  vpc: ${vpc_id} # kpt-set: ${vpc_id}\n" },
  { name: "secret-misplaced", manifest: SECRET.replace("Secret", "ConfigMap").replace("stringData", "data") },
];

for (const { name, manifest } of STATES) {
  for (const { name: look, ...options } of LOOKS.filter(({ name }) => name !== "dark")) {
    test(`${name}, ${look}`, async ({ visit }) => {
      const manifests = [{ path: "a.yaml", content: manifest }];
      const outputs = [{ name: "infra", path: "infra.json", content: JSON.stringify(INFRA, null, 2) }];
      const page = await visit.open(packed({ manifests, outputs }), options);
      await page.showProblems();
      // Scrolls to the last row, with the count of the remaining problems.
      await page.id("problems").evaluate((list) => list.lastElementChild?.scrollIntoView({ block: "nearest" }));
      await page.page.screenshot({ path: join(folder, `${name}-${look}.png`) });
      const width = await page.page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, "nothing overflows to the right").toBeLessThanOrEqual(options.viewport.width);
    });
  }
}

test("follows the theme of the system until one is chosen", async ({ visit }) => {
  const page = await visit.open("", { colorScheme: "light" });
  const background = () => page.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(background).not.toBe(light);
  await page.page.emulateMedia({ colorScheme: "light" });
  await expect.poll(background).toBe(light);
  await page.id("theme").click();
  await expect.poll(background).not.toBe(light);
});

test("shows every button at every width, large enough for a finger on a phone", async ({ visit }) => {
  const page = await visit.open("", { viewport: { width: 600, height: 800 } });
  for (const width of [1280, 860, 600, 430, 390, 320]) {
    await page.page.setViewportSize({ width, height: 800 });
    for (const id of ["open-files", "share", "use-this", "download", "theme"]) {
      const box = await page.id(id).boundingBox();
      expect(box, `${id} at ${width}`).not.toBeNull();
      expect(box!.x + box!.width, `${id} at ${width}`).toBeLessThanOrEqual(width);
      if (width <= 600) expect(Math.min(box!.width, box!.height), `${id} at ${width}`).toBeGreaterThanOrEqual(44);
    }
  }
});
