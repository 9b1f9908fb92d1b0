/** Messages to the person, over the page. What is wrong stays until it is put away. */
import { byId, element } from "./dom";

export type Tone = "told" | "wrong";

const MOST = 3;

/** What was merely told goes by itself, in milliseconds; what is wrong or can be undone stays. */
const LASTS = 9000;

const shown = new Map<string, HTMLElement>();

/** Shows a message; one with the same key takes its place. */
export function notice(
  key: string,
  tone: Tone,
  text: string,
  action?: { label: string; testid: string; run: () => void },
): void {
  withdraw(key);
  const close = element("button", { type: "button", class: "quiet", "aria-label": "Close this message" }, "×");
  close.addEventListener("click", () => withdraw(key));
  const box = element("div", { class: `notice is-${tone}`, "data-testid": "notice" }, element("p", {}, text));
  if (action) {
    const button = element("button", { type: "button", "data-testid": action.testid }, action.label);
    button.addEventListener("click", action.run);
    box.append(button);
  }
  box.append(close);
  byId("notices").append(box);
  shown.set(key, box);
  if (tone === "told" && !action) setTimeout(() => shown.get(key) === box && withdraw(key), LASTS);
  const oldest = [...shown.keys()];
  for (const old of oldest.slice(0, Math.max(0, oldest.length - MOST))) withdraw(old);
}

export function withdraw(key: string): void {
  shown.get(key)?.remove();
  shown.delete(key);
}
