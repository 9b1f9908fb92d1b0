/** Where the page leads to. */

const REPOSITORY = "https://github.com/landfall-dev/landfall";

export const addresses = {
  repository: REPOSITORY,
  docs: `${REPOSITORY}/tree/main/docs`,
  install: `${REPOSITORY}#install`,
  argocd: `${REPOSITORY}/tree/main/deploy/argocd`,
  kustomize: `${REPOSITORY}/blob/main/docs/kustomize.md`,
} as const;
