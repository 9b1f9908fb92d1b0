import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // Relative addresses: the page works from any folder of any static host.
  base: "./",
  resolve: {
    alias: [
      { find: /^landfall$/, replacement: at("../dist/browser/index.js") },
      { find: /^landfall\/(.*)$/, replacement: at("../dist/browser/") + "$1" },
      // 23 KB for syntax trees, and nothing here has one: see src/panes/language.ts.
      { find: /^@(codemirror\/language|lezer\/common)$/, replacement: at("src/panes/language.ts") },
    ],
  },
  // The examples and the package stand beside this folder.
  server: { fs: { allow: [at("..")] } },
  worker: { format: "es" },
  build: {
    outDir: at("../dist/playground"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    // Nothing goes into data: addresses, which the page's policy refuses.
    assetsInlineLimit: 0,
  },
  test: { include: ["unit/**/*.test.ts"] },
});
