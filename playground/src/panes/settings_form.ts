/** The dialog with the settings of the Binding, which it writes there. */
import { settingEdit, settings, valueOf, type Setting } from "../binding";
import { byId, element, prose } from "../dom";
import { notice } from "../notices";
import { projectOf } from "../project";
import type { Doc, Workspace } from "../state";

/** Applies an edit to a document; it can be undone there. */
export type Change = (doc: Doc, edits: { from: number; to: number; text: string }[]) => void;

/** Sets a setting in the Binding, or in a new one. */
function set(workspace: Workspace, change: Change, setting: Setting, value: string): void {
  if (!workspace.binding()) {
    workspace.put("manifests", { path: workspace.freePath("manifests", "landfall.yaml"), content: projectOf(workspace).binding.content });
  }
  const binding = workspace.binding()!;
  const edit = settingEdit(binding.text, setting, value);
  if (edit) change(binding, [edit]);
  else notice("setting", "error", `${binding.path} is written in a way that the page does not change. Write ${setting.path.join(".")}: ${value} there.`);
}

/** Reads the manifests in another dialect. */
export function readAs(workspace: Workspace, change: Change, dialect: string): void {
  const setting = settings().find(({ label }) => label === "dialect");
  if (setting) set(workspace, change, setting, dialect);
}

export function showSettings(workspace: Workspace, change: Change): void {
  const dialog = byId<HTMLDialogElement>("settings-form");
  const binding = workspace.binding();
  byId("settings-note").textContent = binding
    ? `A choice is written into ${binding.path}.`
    : "A choice is written into a new landfall.yaml, the Binding.";
  const rows = settings().map((setting) => {
    const now = valueOf(binding?.text ?? "", setting);
    const values = ["", ...setting.values, ...(now && !setting.values.includes(now) ? [now] : [])];
    const options = values.filter((value) => value || !now).map((value) => element("option", { value, selected: value === now }, value || "default"));
    const [what = ""] = setting.description.split("\n");
    const names = { "aria-label": setting.label, "aria-description": what.replaceAll("`", "") };
    const select = element("select", { "data-testid": `setting-${setting.label}`, ...names }, ...options);
    select.addEventListener("change", () => set(workspace, change, setting, select.value));
    return element("label", {}, element("span", {}, setting.label, element("small", {}, ...prose(what))), select);
  });
  byId("settings").replaceChildren(...rows);
  dialog.showModal();
}
