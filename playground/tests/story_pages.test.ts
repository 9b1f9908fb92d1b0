/** The page of each story: what it has before any script ran, its words for link previews, and that it is the app. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { names, opened, pageOf } from "../pages";
import { isStory } from "../src/stories";
import { storyTexts } from "../src/story_texts";
import { address, test } from "./driver/visit";

const folder = process.env.LANDFALL_PLAYGROUND ?? "";
const plain = (sentence: string) => sentence.replaceAll("`", "");
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

test("each page has the answer that the module gives to the story's files", async () => {
  for (const name of ["first", ...names]) {
    const path = isStory(name) ? `stories/${name}/index.html` : "index.html";
    const page = await readFile(join(folder, path), "utf8");
    const built = JSON.parse(/id="first">(.*)<\/script>/.exec(page)![1]!);
    expect(built).toEqual(JSON.parse(JSON.stringify(opened(name))));
    // The files as they are in the repository.
    if (!isStory(name) || name === "karpenter") continue;
    const source = new URL(`../stories/${name}/`, import.meta.url);
    const files = (await readdir(source)).filter((file) => !file.endsWith(".png"));
    const docs = [...built.saved.manifests, ...built.saved.outputs, ...(built.saved.before ?? [])];
    expect(docs.map(({ path }: { path: string }) => path).sort()).toEqual(files.sort());
    for (const { path, content } of docs) expect(content).toBe(await readFile(new URL(path, source), "utf8"));
  }
});

test("shows documents, result and substitutions before any script has run, at the same place", async ({ visit }) => {
  const page = await visit.open();
  page.forgive(/\/stories\//);
  const context = await page.page.context().browser()!.newContext({ viewport: { width: 1280, height: 800 } });
  const bare = await context.newPage();
  await bare.route(/\.js$/, (route) => route.abort());
  for (const name of names) {
    await bare.goto(`${address}stories/${name}/`);
    await page.page.goto(`${address}stories/${name}/`);
    await page.ready();
    const { saved, answer } = opened(name);
    // Without the values of sensitive outputs.
    const outputs = (await bare.getByTestId("outputs").locator("pre").textContent())!;
    expect(outputs.split("\n").length).toBe(saved.outputs[0]!.content.split("\n").length);
    expect(await bare.content()).not.toContain('"value": "not-a-real-password"');
    expect(await bare.locator("#substitution-rows tr").count()).toBe(answer.substitutions?.length ?? 0);
    if (!answer.files) {
      expect(await bare.getByTestId("result-note").textContent()).toBe(await page.id("result-note").textContent());
      continue;
    }
    const texts = answer.files.map(({ content }) => content);
    expect(texts).toContain(await bare.getByTestId("result").locator("pre").textContent());
    const rows = await page.substitutions.locator("td").allTextContents();
    expect(await bare.locator("#substitution-rows td").allTextContents()).toEqual(rows);
    expect(await bare.getByTestId("story").textContent()).toBe(await page.id("story").textContent());
    const place = (found: { boundingBox: () => Promise<{ x: number; y: number } | null> }) => found.boundingBox().then((box) => box && [Math.round(box.x), Math.round(box.y)]);
    const [before, after] = [await place(bare.locator("#result .value").first()), await place(page.result.root.locator(".value").first())];
    // Half a pixel is rounded up or down.
    for (const nth of [0, 1]) expect(Math.abs(before![nth]! - after![nth]!), name).toBeLessThanOrEqual(1);
  }
  await context.close();
}, 90_000);

test("has the words and the image for link previews, with absolute addresses once its own is known", async () => {
  const index = await readFile(join(folder, "index.html"), "utf8");
  const empty = index.replace(/(id="first">).*(<\/script>)/, "$1$2").replace(/(<noscript>.*<\/p>\s*).*(<\/noscript>)/s, "$1<!-- first result -->$2");
  for (const name of names) {
    const { question, answer } = storyTexts[name];
    const tags = (page: string) => new Map([...page.matchAll(/<meta (?:property|name)="([^"]*)" content="([^"]*)"/g)].map(([, key, value]) => [key, value!.replaceAll("&quot;", '"')]));
    const page = await readFile(join(folder, `stories/${name}/index.html`), "utf8");
    expect(page).toContain(`<title>${question} – landfall playground</title>`);
    expect(page).toContain('<link rel="canonical" href=');
    expect(tags(page).get("description")).toBe(plain(answer));
    expect(tags(page).get("og:title")).toBe(question);
    expect(tags(page).get("og:description")).toBe(plain(answer));
    const image = await readFile(join(folder, `stories/${name}/image.png`));
    expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([1200, 630]);
    const published = pageOf(empty, name, "https://example.com/play");
    expect(published).toContain(`<link rel="canonical" href="https://example.com/play/stories/${name}/" />`);
    expect(tags(published).get("og:url")).toBe(`https://example.com/play/stories/${name}/`);
    expect(tags(published).get("og:image")).toBe(`https://example.com/play/stories/${name}/image.png`);
  }
});

test("shows the result before the module has arrived, after at most 150 KB, and keeps an edit over a reload", async ({ visit }) => {
  const page = await visit.open("stories/karpenter/");
  const asked = page.asked.length;
  const release = await page.holdModule();
  await page.page.reload();
  await expect.poll(() => page.result.text()).toContain("role: KarpenterNode-shop-prod");
  expect(await page.page.locator("html").getAttribute("data-state")).toBe("busy");
  expect(await page.id("examples").inputValue()).toBe("karpenter");
  let sum = 0;
  for (const one of new Set(page.asked.slice(asked))) {
    if (/\.wasm$/.test(one)) continue;
    sum += (await readFile(join(folder, `${one.slice(`GET ${address}`.length).replace(/\/$/, "/index.html")}.gz`))).length;
  }
  console.log(`until the result of a story is shown, gzip: ${sum}`);
  expect(sum).toBeGreaterThan(50_000);
  expect(sum).toBeLessThanOrEqual(150_000);
  release();
  await page.ready();
  await page.manifests.write("mine: kept\n");
  await page.page.waitForTimeout(1500);
  await page.page.reload();
  await page.ready();
  expect(await page.manifests.text()).toBe("mine: kept\n");
});

test("a story's line is there while something of it is on the page", async ({ visit }) => {
  for (const options of [{}, PHONE]) {
    const page = await visit.open("", options);
    await page.change(() => page.id("examples").selectOption("subnets"));
    expect(await page.id("story").textContent()).toContain("How do I write a list into an annotation? ");
    expect(await page.id("story").getByRole("link").getAttribute("href")).toMatch(/\/docs\/language\/functions-lists\.md$/);
    await page.manifests.write("a: ${infra.subnet_ids[0]}\n");
    expect(await page.id("story").isVisible()).toBe(true);
    if (options === PHONE) await page.id("pane-outputs").click();
    await page.outputs.write('{"subnet_ids": {"value": ["mine"]}}');
    expect(await page.id("story").isVisible()).toBe(false);
    expect(await page.page.locator("#lead").isVisible()).toBe(true);
  }
});

for (const width of [320, 390, 640, 860, 1120, 1280, 1920]) {
  test(`nothing moves when a story is opened, and all of its line is seen, ${width}`, async ({ visit }) => {
    const page = await visit.open("", { viewport: { width, height: 844 } });
    const top = async () => (await page.page.locator("main").boundingBox())!.y;
    const before = await top();
    for (const name of names) {
      await page.change(() => page.id("examples").selectOption(name));
      expect(await top()).toBe(before);
      const hidden = await page.id("story").evaluate((line) => line.scrollHeight - line.clientHeight);
      expect(hidden, name).toBeLessThanOrEqual(0);
    }
    await page.page.screenshot({ path: join(process.env.LANDFALL_SCREENSHOTS!, `story-line-${width}.png`) });
  });
}

for (const width of [390, 1280, 1920]) {
  test(`the closed menu shows all of a story's label, ${width}`, async ({ visit }) => {
    const page = await visit.open("", { viewport: { width, height: 844 } });
    const cut = await page.id("examples").evaluate((menu: HTMLSelectElement) => {
      const style = getComputedStyle(menu);
      const context = document.createElement("canvas").getContext("2d")!;
      context.font = `${style.fontSize} ${style.fontFamily}`;
      // The arrow of the menu is about as wide as its text is high.
      const room = menu.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - parseFloat(style.fontSize);
      const stories = menu.querySelectorAll<HTMLOptionElement>('optgroup[label="Questions"] option');
      return [...stories].flatMap(({ text }) => (context.measureText(text).width > room ? [text] : []));
    });
    expect(cut).toEqual([]);
  });
}
