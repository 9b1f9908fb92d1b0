/** The dialog that names a document: for a new one and for one that is there. */
import { byId } from "../dom";
import { unfit } from "../paths";
import type { Doc, Side, Workspace } from "../state";

export interface Described {
  path: string;
  name: string;
  sensitive: boolean;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Asks for a path, and for outputs documents for a name; `undefined` when the person turns away. */
export function describe(workspace: Workspace, side: Side, doc?: Doc): Promise<Described | undefined> {
  const dialog = byId<HTMLDialogElement>("document-form");
  const path = byId<HTMLInputElement>("document-path");
  const name = byId<HTMLInputElement>("document-name");
  const sensitive = byId<HTMLInputElement>("document-sensitive");
  const wrong = byId("document-wrong");
  const form = dialog.querySelector("form")!;

  byId("document-title").textContent = doc
    ? "Rename"
    : side === "outputs"
      ? "New outputs document"
      : "New manifest";
  byId("document-open").hidden = doc !== undefined;
  byId("document-outputs").hidden = side !== "outputs";
  path.value = doc?.path ?? workspace.freePath(side, side === "outputs" ? "outputs.json" : "manifest.yaml");
  name.value = doc?.name ?? workspace.freeName(path.value);
  name.required = side === "outputs";
  sensitive.checked = doc?.sensitive ?? false;
  wrong.textContent = "";

  return new Promise((resolve) => {
    const problem = (): string => {
      const wanted = path.value.trim();
      const others = workspace.of(side).filter((one) => one !== doc).map((one) => one.path);
      // What arrived with another name may keep it.
      const wrong = wanted === doc?.path ? "" : unfit(wanted, others);
      if (wrong) return wrong;
      if (side === "outputs" && !NAME.test(name.value.trim())) {
        return "A name begins with a letter and has letters, digits, _ and - only.";
      }
      return "";
    };
    form.onsubmit = (event) => {
      event.preventDefault();
      wrong.textContent = problem();
      if (!wrong.textContent) dialog.close("done");
    };
    dialog.onclose = () => {
      const isDone = dialog.returnValue === "done";
      dialog.returnValue = "";
      resolve(
        isDone
          ? { path: path.value.trim(), name: name.value.trim(), sensitive: sensitive.checked }
          : undefined,
      );
    };
    dialog.showModal();
    path.select();
  });
}
