/** The dialog with the ways to run the workspace elsewhere. */
import { copy } from "./copy";
import { byId, element, prose } from "./dom";
import type { Workspace } from "./state";

export function useForm(workspace: Workspace): void {
  const dialog = byId<HTMLDialogElement>("use-form");
  byId("use-this").addEventListener("click", async () => {
    const { uses } = await import("./take_away");
    const sections = uses(workspace).map(({ title, about, more, blocks }) => {
      const link = element("a", { href: more, target: "_blank", rel: "noreferrer", "aria-label": `more about ${title}` }, "more");
      const section = element("section", { "data-testid": "use" }, element("h3", {}, title), element("p", {}, ...prose(about), " ", link));
      for (const { path, content } of blocks) {
        const what = `${path || "the command"} for ${title}`;
        const button = element("button", { type: "button", class: "quiet", "aria-label": `Copy ${what}` }, "Copy");
        button.addEventListener("click", () => void copy(button, content));
        section.append(element("div", { class: "block" }, element("span", {}, path), button, element("pre", { tabindex: "0", role: "group", "aria-label": what }, content)));
      }
      return section;
    });
    byId("uses").replaceChildren(...sections);
    dialog.showModal();
  });
}
