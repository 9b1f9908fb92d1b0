/** Copies texts to the clipboard. */
import { element } from "./dom";

/** Copies a text to the clipboard and says so on the button. */
export async function copy(button: HTMLElement, text: string): Promise<void> {
  const label = button.dataset["label"] ?? button.textContent ?? "";
  button.dataset["label"] = label;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Refused";
  }
  setTimeout(() => (button.textContent = label), 2000);
}

/** Returns a text with its path and a button that copies it. `what` it is, for screen readers. */
export function block({ path, content }: { path: string; content: string }, what = path): HTMLElement {
  const button = element("button", { type: "button", class: "quiet", "aria-label": `Copy ${what}` }, "Copy");
  button.addEventListener("click", () => void copy(button, content));
  return element("div", { class: "block" }, element("span", {}, path), button, element("pre", { tabindex: "0", role: "group", "aria-label": what }, content));
}
