/** Global setup: starts the static server and the browser. */
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { bait } from "./bait";
import { serve } from "./static_server";

declare module "vitest" {
  export interface ProvidedContext {
    address: string;
    bait: string;
    browser: string;
  }
}

/** Returns a variable that `cargo xtask playground --test` sets. */
function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run cargo xtask playground --test`);
  return value;
}

/** Without a sandbox, because CI containers run as root, and without background requests. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export default async function launch(project: TestProject): Promise<() => Promise<void>> {
  const { address, server } = await serve(required("LANDFALL_PLAYGROUND"));
  const proxy = await bait();
  const browser = await chromium.launchServer({
    executablePath: required("CHROMIUM"),
    args: FLAGS,
    headless: true,
  });
  project.provide("address", address);
  project.provide("bait", proxy.address);
  project.provide("browser", browser.wsEndpoint());
  return async () => {
    await browser.close();
    server.close();
    proxy.server.close();
  };
}
