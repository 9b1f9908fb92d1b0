/** The workspaces of the first example and of the stories, from their files. */
import type { Saved } from "./state";

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

/** Returns the workspace of an example; `files` has the contents by path. */
export function workspaceOf(name: string, files: Record<string, string>): Saved {
  const { manifests, outputs, open } = FOLDERS[name] ?? { manifests: [`stories/${name}`], outputs: `stories/${name}` };
  const under = (folder: string, ending: string) =>
    Object.keys(files).sort().flatMap((file) => {
      const path = file.split(`/${folder}/`)[1];
      return path?.endsWith(ending) ? [{ path, content: files[file]! }] : [];
    });
  const found = manifests.flatMap((folder) => under(folder, ".yaml"));
  return {
    manifests: found.filter(({ path }, nth) => found.findIndex((other) => other.path === path) === nth),
    outputs: under(outputs, ".json").map((one) => ({ name: "infra", ...one })),
    ...(open && { open }),
  };
}
