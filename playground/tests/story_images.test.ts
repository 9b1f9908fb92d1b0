/**
 * The images of link previews: the question, and lines before and after. `UPDATE=1` draws them again.
 * Each image has the digest of what it was drawn from, because fonts differ between machines.
 */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { chromium } from "playwright-core";
import { expect, inject, test } from "vitest";
import { names, opened } from "../pages";
import type { First } from "../src/first";
import type { StoryName } from "../src/stories";
import { storyTexts } from "../src/story_texts";

const MAX_SIZE = 60_000;
const KEYWORD = "drawn from\0";

/** What the lines that an image shows have in them. */
const LINES: Record<StoryName, string[]> = {
  "leading-zero": ["example.com/account"],
  flux: ["host:", "region:"],
  password: ["password:"],
  subnets: ["subnets:"],
  grafana: ['"title"', '"datasource"'],
  karpenter: ["role:", "- id:"],
  plan: ["replicas:", "value:"],
  fleet: ["zone:"],
};

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function drawing(name: StoryName, { saved, answer }: First): string {
  const binding = /(^|\/)landfall\.yaml$/;
  const manifests = saved.manifests.filter(({ path }) => !binding.test(path));
  const nth = Math.max(0, manifests.findIndex(({ path }) => path === saved.open));
  const result = answer.files?.[nth]?.content.split("\n");
  // A list in the result may have more lines than its reference.
  const lineAfter = (line: number) => answer.substitutions?.find(({ file, source }) => file === nth && source.start.line === line)?.result.start.line ?? line;
  const chosen = manifests[nth]!.content.split("\n").flatMap((line, at) =>
    LINES[name].some((part) => line.includes(part)) ? [{ before: line.trim(), after: result?.[lineAfter(at + 1) - 1]?.trim() ?? "" }] : [],
  );
  expect(chosen.length, `lines of ${name}`).toBeGreaterThanOrEqual(LINES[name].length);
  const lines = (of: "before" | "after") => chosen.slice(0, 2).map((one) => escaped(one[of])).join("\n");
  const after = result ? `<pre class="after">${lines("after")}</pre>` : `<p class="error">${escaped(answer.diagnostics[0]!.message.replaceAll("`", ""))}</p>`;
  return `<!doctype html><meta charset="utf-8"><style>
body { box-sizing: border-box; width: 1200px; height: 630px; margin: 0; padding: 70px; opacity: 0.999; background: #f6f6f3; color: #1c2328; font: 30px/1.4 sans-serif }
h1 { height: 150px; margin: 0; font-size: 48px; line-height: 1.15 }
pre, .error { margin: 0 0 26px; padding: 22px 26px; border-left: 8px solid #8a4b00; background: #fdf1dc; font: 25px/1.5 monospace; white-space: pre-wrap; overflow-wrap: anywhere }
.after { border-color: #08694e; background: #e2f4ec }
.error { border-color: #b3261e; background: #fdecea }
footer { position: absolute; bottom: 50px; color: #59646c; font-size: 22px }
</style><h1>${escaped(storyTexts[name].question)}</h1><pre>${lines("before")}</pre>${after}<footer>landfall: Terraform outputs in Kubernetes manifests</footer>`;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Returns a PNG with its pixels compressed as well as possible, and with a text. */
function packed(png: Buffer, text: string): Buffer {
  const pixels: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") pixels.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const smaller = deflateSync(inflateSync(Buffer.concat(pixels)), { level: 9 });
  return Buffer.concat([png.subarray(0, 33), chunk("tEXt", Buffer.from(text)), chunk("IDAT", smaller), chunk("IEND", Buffer.alloc(0))]);
}

for (const name of names) {
  test(`the image of ${name} is of its story`, async () => {
    const path = new URL(`../stories/${name}/image.png`, import.meta.url);
    const html = drawing(name, opened(name));
    const digest = createHash("sha256").update(html).digest("hex");
    if (process.env.UPDATE) {
      const page = await (await chromium.connect(inject("browser"))).newPage({ viewport: { width: 1200, height: 630 } });
      await page.setContent(html);
      await writeFile(path, packed(await page.screenshot(), KEYWORD + digest));
      await page.close();
    }
    const image = await readFile(path);
    expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([1200, 630]);
    expect(image.length).toBeLessThan(MAX_SIZE);
    expect(image.includes(KEYWORD + digest), "draw the images again: UPDATE=1").toBe(true);
  });
}
