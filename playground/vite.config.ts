import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { runnerImport, type Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { stamp } from "./offline/build.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The address of the published page, for link previews; the page itself works at any address. */
const site = process.env.LANDFALL_PLAYGROUND_ADDRESS ?? "";

const builder = async () => (await runnerImport<typeof import("./pages")>(at("pages.ts"))).module;

/** Writes the example into the first page, and a page for each story. */
const pages: Plugin = {
  name: "pages",
  transformIndexHtml: {
    order: "post",
    async handler(page, { server, originalUrl = "" }) {
      const name = /\/stories\/([^/]*)\//.exec(originalUrl)?.[1];
      return server ? (await builder()).pageOf(page, name, site) : page;
    },
  },
  async writeBundle({ dir = "" }) {
    const { names, pageOf } = await builder();
    const page = readFileSync(join(dir, "index.html"), "utf8");
    writeFileSync(join(dir, "index.html"), pageOf(page, undefined, site));
    for (const name of names) {
      const folder = join(dir, "stories", name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "index.html"), pageOf(page, name, site));
      copyFileSync(at(`stories/${name}/image.png`), join(folder, "image.png"));
    }
  },
};

/** Lists the files of the build in its service worker. */
const offline: Plugin = {
  name: "offline",
  apply: "build",
  // After the plugins that write files.
  writeBundle: { sequential: true, handler: ({ dir = "" }) => stamp(dir, process.env["VITE_OFFLINE"] !== "off") },
};

/** Writes each file compressed beside it, for servers that send such files as they are. */
const compressed: Plugin = {
  name: "compressed",
  apply: "build",
  // After the pages are written.
  writeBundle: { sequential: true, handler: ({ dir = "" }) => compress(dir) },
};

function compress(dir: string): void {
  for (const path of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
    if (!/\.(html|css|js|wasm)$/.test(path)) continue;
    const content = readFileSync(join(dir, path));
    const params = { [constants.BROTLI_PARAM_LGWIN]: 22, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(join(dir, `${path}.br`), brotliCompressSync(content, { params }));
    writeFileSync(join(dir, `${path}.gz`), gzipSync(content, { level: 9 }));
  }
}

export default defineConfig({
  // Relative URLs: the page works from any folder of any static host.
  base: "./",
  plugins: [pages, offline, compressed],
  resolve: {
    alias: [
      { find: /^landfall$/, replacement: at("../dist/browser/index.js") },
      { find: /^landfall\/tools$/, replacement: at("../dist/browser/tools/index.js") },
      { find: /^landfall\/(.*)$/, replacement: at("../dist/browser/") + "$1" },
      // Saves 23 KB of syntax tree code that the page does not use: see src/panes/language.ts.
      { find: /^@(codemirror\/language|lezer\/common)$/, replacement: at("src/panes/language.ts") },
    ],
  },
  // The examples and the npm package are outside this folder.
  server: { fs: { allow: [at("..")] } },
  worker: { format: "es" },
  build: {
    outDir: at("../dist/playground"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    // No data: URLs: the page's content security policy blocks them.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: [at("index.html"), at("offline/service_worker.ts")],
      // A service worker has one address for all builds, and controls the folder that it is in.
      output: { entryFileNames: ({ name }) => (name === "service_worker" ? "[name].js" : "assets/[name]-[hash].js") },
    },
  },
  test: { include: ["unit/**/*.test.ts"] },
});
