/** How fast the page starts. Times are printed and not asserted, because machines differ; ratios are of one run. */
import { expect } from "vitest";
import type { Page } from "playwright-core";
import { address, test } from "./driver/visit";

declare global {
  interface Window {
    /** When the first result could be edited, and when the module had rendered, in milliseconds after the navigation. */
    times: { editable?: number; ready?: number };
  }
}

/** A phone on a slow network: 1.6 Mbit/s and a quarter of this processor. Workers are not slowed down. */
const BYTES_PER_SECOND = 1.6e6 / 8;
const NETWORK = { offline: false, latency: 150, downloadThroughput: BYTES_PER_SECOND, uploadThroughput: BYTES_PER_SECOND };
const PROCESSOR = { rate: 4 };

function watch(): void {
  window.times = {};
  const observer = new MutationObserver(() => {
    if (document.querySelector("#result .cm-line")?.textContent) window.times.editable ??= performance.now();
    if (document.documentElement?.dataset["state"] !== "ready") return;
    window.times.ready = performance.now();
    observer.disconnect();
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-state"] });
}

/** The same bytes without their work: the module is downloaded, but nothing of it is compiled and run. */
function withoutModule(): void {
  const empty = async (source: unknown) => {
    if (source instanceof Response) await source.arrayBuffer();
    return new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
  };
  WebAssembly.compileStreaming = empty;
  WebAssembly.compile = empty as typeof WebAssembly.compile;
}

/** Loads the page in a new tab, and returns its times. */
async function load(from: Page, isSlow: boolean, ...scripts: (() => void)[]): Promise<{ editable: number; ready: number }> {
  const page = await from.context().newPage();
  for (const script of [watch, ...scripts]) await page.addInitScript(script);
  if (isSlow) {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", NETWORK);
    await session.send("Emulation.setCPUThrottlingRate", PROCESSOR);
  }
  await page.goto(address);
  await page.waitForFunction(() => window.times.ready, undefined, { timeout: 30_000 });
  const { editable = NaN, ready = NaN } = await page.evaluate(() => window.times);
  await page.close();
  return { editable, ready };
}

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
const shown = (times: number[]): string => `${median(times).toFixed(0)} ms (at least ${Math.min(...times).toFixed(0)})`;

/** Loads the page with and without the work of its module, in turns, and prints the times. */
async function compare(page: Page, isSlow: boolean, rounds: number, expected: number): Promise<void> {
  const [whole, without]: { editable: number; ready: number }[][] = [[], []];
  for (let n = 0; n < rounds; n++) {
    whole!.push(await load(page, isSlow));
    without!.push(await load(page, isSlow, withoutModule));
  }
  const of = (name: "editable" | "ready", loads: { editable: number; ready: number }[]) => loads.map((one) => one[name]);
  const ratio = median(of("ready", whole!)) / median(of("ready", without!));
  console.log(
    `${isSlow ? "at 1.6 Mbit/s with a quarter of the processor" : "on this machine"}: editable after ${shown(of("editable", whole!))}, ` +
      `ready after ${shown(of("ready", whole!))}, expected ${expected}; with the module downloaded but not compiled and run ` +
      `${shown(of("ready", without!))}: ratio ${ratio.toFixed(2)}`,
  );
  expect(median(of("editable", whole!))).toBeLessThan(median(of("ready", whole!)));
}

test("prints when the page is ready", { timeout: 90_000 }, async ({ visit }) => {
  const { page, forgive } = await visit.open();
  await compare(page, false, 7, 250);
  forgive(/console/);
});

test("prints when the page is ready on a slow network and a slow processor", { timeout: 180_000 }, async ({ visit }) => {
  const { page, forgive } = await visit.open();
  await compare(page, true, 3, 2500);
  forgive(/console/);
});
