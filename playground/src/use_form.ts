/** The dialog with the ways to run the workspace elsewhere. */
import { block } from "./copy";
import { byId, element, prose } from "./dom";
import type { Workspace } from "./state";

export function useForm(workspace: Workspace): void {
  const dialog = byId<HTMLDialogElement>("use-form");
  byId("use-this").addEventListener("click", async () => {
    const { uses } = await import("./take_away");
    const sections = uses(workspace).map(({ title, about, more, blocks }) => {
      const link = element("a", { href: more, target: "_blank", rel: "noreferrer", "aria-label": `more about ${title}` }, "more");
      const section = element("section", { "data-testid": "use" }, element("h3", {}, title), element("p", {}, ...prose(about), " ", link));
      section.append(...blocks.map((one) => block(one, `${one.path || "the command"} for ${title}`)));
      return section;
    });
    byId("uses").replaceChildren(...sections);
    dialog.showModal();
  });
}
