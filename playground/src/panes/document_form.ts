/** The dialog for a new document, and for renaming one. */
import { byId, element } from "../dom";
import { NAME, pathProblem } from "../paths";
import type { Doc, Side, Workspace } from "../state";

export interface DocumentDetails {
  path: string;
  name: string;
  sensitive: boolean;
  /** `undefined`: it is detected from the content. */
  format: string | undefined;
}

/** Asks for a path, and for a binding name for outputs documents; returns `undefined` if the dialog is cancelled. */
export function documentDetails(workspace: Workspace, side: Side, doc?: Doc): Promise<DocumentDetails | undefined> {
  const dialog = byId<HTMLDialogElement>("document-form");
  const path = byId<HTMLInputElement>("document-path");
  const name = byId<HTMLInputElement>("document-name");
  const sensitive = byId<HTMLInputElement>("document-sensitive");
  const format = byId<HTMLSelectElement>("document-format");
  const message = byId("document-error");
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
  const kinds = new Set(doc?.format ? [doc.format] : []);
  const choose = () => {
    const { value } = format;
    format.replaceChildren(format.options[0]!, ...[...kinds].map((kind) => element("option", { value: kind }, kind)));
    format.value = value;
  };
  choose();
  format.value = doc?.format ?? "";
  // The list arrives a moment later; without it, the format that the document has stays.
  import("../binding").then(({ formats }) => {
    for (const kind of formats()) kinds.add(kind);
    choose();
  }, () => {});
  // The name follows the file until somebody chooses one.
  let isChosen = doc !== undefined;
  name.oninput = () => (isChosen = true);
  path.oninput = () => {
    if (!isChosen) name.value = workspace.freeName(path.value);
  };
  message.textContent = "";

  return new Promise((resolve) => {
    const problem = (): string => {
      const wanted = path.value.trim();
      const others = workspace.of(side).filter((one) => one !== doc).map((one) => one.path);
      // An unchanged path is accepted even if it is invalid.
      const inPath = wanted === doc?.path ? "" : pathProblem(wanted, others);
      if (inPath) return inPath;
      if (side === "outputs" && !NAME.test(name.value.trim())) {
        return "A binding name starts with a letter or _ and contains only letters, digits, _ and -.";
      }
      return "";
    };
    form.onsubmit = (event) => {
      event.preventDefault();
      message.textContent = problem();
      if (!message.textContent) dialog.close("done");
    };
    dialog.onclose = () => {
      const isDone = dialog.returnValue === "done";
      dialog.returnValue = "";
      resolve(
        isDone
          ? { path: path.value.trim(), name: name.value.trim(), sensitive: sensitive.checked, format: format.value || undefined }
          : undefined,
      );
    };
    dialog.showModal();
    path.select();
  });
}
