/** The files of examples/karpenter, in a separate chunk that is loaded on demand. */
export const files = import.meta.glob<string>(
  [
    "../../examples/karpenter/app/**/*.yaml",
    "../../examples/karpenter/bootstrap/*.yaml",
    "../../examples/karpenter/outputs/*.json",
    "!../../examples/**/kustomization.yaml",
  ],
  { query: "?raw", import: "default", eager: true },
);
