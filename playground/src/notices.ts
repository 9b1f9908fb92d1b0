/** Notices above the page. Errors stay until they are closed. */
import { byId, element } from "./dom";

export type Tone = "info" | "error";

const MAX_NOTICES = 3;

/** How long an info notice without an action is shown, in milliseconds; all others stay. */
const INFO_DURATION = 9000;

const shown = new Map<string, HTMLElement>();

/** Shows a notice, and replaces the one with the same key. */
export function notice(
  key: string,
  tone: Tone,
  text: string,
  action?: { label: string; testid: string; run: () => void },
): void {
  dismiss(key);
  const close = element("button", { type: "button", class: "quiet", "aria-label": "Close" }, "×");
  close.addEventListener("click", () => dismiss(key));
  const box = element("div", { class: `notice is-${tone}`, "data-testid": "notice" }, element("p", {}, text));
  if (action) {
    const button = element("button", { type: "button", "data-testid": action.testid }, action.label);
    button.addEventListener("click", action.run);
    box.append(button);
  }
  box.append(close);
  byId("notices").append(box);
  shown.set(key, box);
  makeSpace();
  if (tone === "info" && !action) setTimeout(() => shown.get(key) === box && dismiss(key), INFO_DURATION);
  const oldest = [...shown.keys()];
  for (const old of oldest.slice(0, Math.max(0, oldest.length - MAX_NOTICES))) dismiss(old);
}

export function dismiss(key: string): void {
  shown.get(key)?.remove();
  shown.delete(key);
  makeSpace();
}

/** Lets the last rows be scrolled to where no notice is. */
function makeSpace(): void {
  const height = shown.size > 0 ? byId("notices").offsetHeight + 16 : 0;
  document.documentElement.style.setProperty("--notices", `${height}px`);
}
