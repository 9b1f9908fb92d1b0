/** Global setup: starts the static server and the browser. */
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { recordingProxy } from "./recording_proxy";
import { serve } from "./static_server";

declare module "vitest" {
  export interface ProvidedContext {
    address: string;
    proxy: string;
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
  // Tests read these: without them they would fail late, or write to the current folder.
  for (const name of ["LANDFALL_BIN", "LANDFALL_SCREENSHOTS"]) required(name);
  const { address, server } = await serve(required("LANDFALL_PLAYGROUND"));
  const proxy = await recordingProxy();
  const browser = await chromium.launchServer({
    executablePath: required("CHROMIUM"),
    args: FLAGS,
    headless: true,
  });
  project.provide("address", address);
  project.provide("proxy", proxy.address);
  project.provide("browser", browser.wsEndpoint());
  return async () => {
    await browser.close();
    server.close();
    proxy.server.close();
  };
}
