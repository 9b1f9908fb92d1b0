/** The files of examples/karpenter, as they are; a part of its own, loaded when it is wanted. */
export const files = import.meta.glob<string>(
  [
    "../../examples/karpenter/app/**/*.yaml",
    "../../examples/karpenter/bootstrap/*.yaml",
    "../../examples/karpenter/outputs/*.json",
    "!../../examples/**/kustomization.yaml",
  ],
  { query: "?raw", import: "default", eager: true },
);
