/** The files of the first example and of the stories, in a separate chunk that is loaded on demand. */
import type { Saved } from "./state";
import { workspaceOf } from "./story_workspace";

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

export const storyOf = (name: string): Saved => workspaceOf(name, files);
