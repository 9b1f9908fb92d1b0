/** The files of the first example and of the stories, in a separate chunk that is loaded on demand. */
import type { Before, Saved } from "./state";

const files = import.meta.glob<string>(
  [
    "../stories/*/*.{yaml,json}",
    "../../examples/first/*.{yaml,json}",
    "../../examples/karpenter/{app,bootstrap}/**/*.yaml",
    "../../examples/karpenter/outputs/*.json",
    "!../../examples/**/kustomization.yaml",
  ],
  { query: "?raw", import: "default", eager: true },
);

export { storyTexts } from "./story_texts";

/** The outputs with which a story compares. */
const BEFORE = "before.json";

/** The folders of an example's manifests and of its outputs document, unless both are `stories/<name>`. */
const FOLDERS: Record<string, { manifests: string[]; outputs: string; open?: string }> = {
  first: { manifests: ["examples/first"], outputs: "examples/first" },
  karpenter: {
    // The Binding of the second folder is not needed.
    manifests: ["examples/karpenter/app", "examples/karpenter/bootstrap"],
    outputs: "examples/karpenter/outputs",
    open: "nodes/ec2nodeclass.yaml",
  },
};

/** A workspace with outputs to compare with, if the story is about them. */
export type Example = Saved & { before?: Before["documents"] };

/** Returns the workspace of the first example or of a story. */
export function storyOf(name: string): Example {
  const { manifests, outputs, open } = FOLDERS[name] ?? { manifests: [`stories/${name}`], outputs: `stories/${name}` };
  const under = (folder: string, ending: string) =>
    Object.keys(files).sort().flatMap((file) => {
      const path = file.split(`/${folder}/`)[1];
      return path?.endsWith(ending) ? [{ path, content: files[file]! }] : [];
    });
  const found = manifests.flatMap((folder) => under(folder, ".yaml"));
  const named = under(outputs, ".json").map((one) => ({ name: "infra", ...one }));
  const before = named.filter(({ path }) => path === BEFORE);
  return {
    manifests: found.filter(({ path }, nth) => found.findIndex((other) => other.path === path) === nth),
    outputs: named.filter(({ path }) => path !== BEFORE),
    ...(before.length > 0 && { before }),
    ...(open && { open }),
  };
}
