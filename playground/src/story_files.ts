/** The files of the stories, in a separate chunk that is loaded on demand. */
import type { Saved } from "./state";

const files = import.meta.glob<string>("../stories/*/*.{yaml,json}", { query: "?raw", import: "default", eager: true });

/** Returns the workspace of a story: its YAML files are the manifests, `infra.json` is the outputs document. */
export function storyOf(name: string): Saved {
  const root = `../stories/${name}/`;
  const found = Object.keys(files).filter((path) => path.startsWith(root)).sort();
  const docs = found.map((path) => ({ path: path.slice(root.length), content: files[path]! }));
  return {
    manifests: docs.filter(({ path }) => path.endsWith(".yaml")),
    outputs: docs.filter(({ path }) => path.endsWith(".json")).map((one) => ({ name: "infra", ...one })),
  };
}
