/** Whether long lines are wrapped, in all panes. The browser remembers it. */
import type { EditorView } from "@codemirror/view";
import { byId } from "../dom";

const KEY = "landfall-wrap";

function isStored(): boolean {
  try {
    return localStorage.getItem(KEY) === "yes";
  } catch {
    return false;
  }
}

export function wrapping(views: EditorView[]): void {
  const button = byId("wrap");
  const apply = (isWrapped: boolean) => {
    button.setAttribute("aria-pressed", String(isWrapped));
    document.documentElement.classList.toggle("is-wrapped", isWrapped);
    // Editors read from the style whether lines are wrapped.
    for (const view of views) view.requestMeasure();
  };
  const toggle = () => {
    const isWrapped = button.getAttribute("aria-pressed") !== "true";
    apply(isWrapped);
    try {
      localStorage.setItem(KEY, isWrapped ? "yes" : "no");
    } catch {
      // Storage is disabled: the choice lasts until the page is closed.
    }
  };
  button.addEventListener("click", toggle);
  addEventListener("keydown", (event) => {
    // On a Mac, `key` is what the Option key writes.
    if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyZ") return;
    event.preventDefault();
    toggle();
  });
  apply(isStored());
}
