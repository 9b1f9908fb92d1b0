import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The first example's answer, which the page shows before the module has arrived. */
const firstAnswer: Plugin = {
  name: "first-answer",
  resolveId: (id) => (id === "virtual:first-answer" ? `\0${id}` : undefined),
  async load(id) {
    if (id !== "\0virtual:first-answer") return undefined;
    const { init, explain } = await import(at("../dist/browser/index.js"));
    await init(readFileSync(at("../dist/browser/landfall_bg.wasm")));
    const content = (path: string) => readFileSync(at(`../examples/first/${path}`), "utf8");
    const answer = explain({
      manifests: [{ path: "shop.yaml", content: content("shop.yaml") }],
      outputs: [{ name: "infra", path: "infra.json", content: content("infra.json") }],
    });
    return `export default ${JSON.stringify(answer)}`;
  },
};

/** Writes each file compressed beside it, for servers that send such files as they are. */
const compressed: Plugin = {
  name: "compressed",
  apply: "build",
  writeBundle({ dir = "" }) {
    for (const path of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
      if (!/\.(html|css|js|wasm)$/.test(path)) continue;
      const content = readFileSync(join(dir, path));
      const params = { [constants.BROTLI_PARAM_LGWIN]: 22, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
      writeFileSync(join(dir, `${path}.br`), brotliCompressSync(content, { params }));
      writeFileSync(join(dir, `${path}.gz`), gzipSync(content, { level: 9 }));
    }
  },
};


export default defineConfig({
  // Relative URLs: the page works from any folder of any static host.
  base: "./",
  plugins: [firstAnswer, compressed],
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
  },
  test: { include: ["unit/**/*.test.ts"] },
});
