import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // Relative URLs: the page works from any folder of any static host.
  base: "./",
  resolve: {
    alias: [
      { find: /^landfall$/, replacement: at("../dist/browser/index.js") },
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
