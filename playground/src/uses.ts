/** The ways to run the workspace elsewhere: what to copy, and where. */
import { addresses } from "./addresses";
import { entriesOf, HEAD, projectOf, scalar } from "./project";
import { isBinding, type Workspace } from "./state";
import { safePath } from "./zip";

export interface Use {
  title: string;
  /** A sentence with code in backticks. */
  about: string;
  more: string;
  /** Each with the file that it belongs into; `""` for a command. */
  blocks: { path: string; content: string }[];
}

/** Returns one of each way, for what is on the screen. */
export function uses(workspace: Workspace): Use[] {
  const project = projectOf(workspace);
  const outputs = workspace.boundOutputs();
  const manifests = workspace.of("manifests").filter((doc) => !isBinding(doc));
  const resources = manifests.map(({ path }) => `  - ${scalar(safePath(path))}\n`).join("");
  const kustomize: Use = {
    title: "kustomize",
    about: "As a function, with the outputs documents beside the manifests: `kustomize build --enable-alpha-plugins --enable-exec .`",
    more: addresses.kustomize,
    blocks: [
      { path: "kustomization.yaml", content: `resources:\n${resources}transformers: [bind.yaml]\n` },
      {
        path: "bind.yaml",
        content: `${HEAD}metadata:
  name: bind
  annotations:
    config.kubernetes.io/function: |
      exec: {path: landfall, args: [krm]}
spec:
${entriesOf(outputs, "")}`,
      },
    ],
  };
  return [
    {
      title: "Command line",
      about: "In the folder that Download creates. `check` is the same without writing.",
      more: addresses.install,
      blocks: [{ path: "", content: `landfall render ${project.args} --output-dir rendered\n` }],
    },
    {
      title: "Continuous integration",
      about: "Fails for a name with a typo, a missing output and a secret in the wrong place, before anything is merged.",
      more: addresses.docs,
      blocks: [{ path: "", content: `landfall check ${project.args}\n` }],
    },
    {
      title: "Argo CD",
      about: "With landfall's sidecar, each sync renders the folder. Sensitive outputs are refused unless the operator allows them.",
      more: addresses.argocd,
      blocks: [
        project.binding,
        {
          path: "application.yaml",
          content: `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: playground
  namespace: argocd
spec:
  project: default
  source:
    repoURL: https://git.example.com/your/repository.git
    targetRevision: HEAD
    path: manifests
    plugin: {name: landfall}
  destination:
    server: https://kubernetes.default.svc
    namespace: default
`,
        },
      ],
    },
    // A Binding of the page's own may have keys that have no effect in a function.
    ...(workspace.binding() ? [] : [kustomize]),
  ];
}
