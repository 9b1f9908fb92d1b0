/** Creates and finds elements. */

type Attributes = Record<string, string | boolean | undefined>;

/** Creates an element with attributes and children; strings become text nodes, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/** Returns the parts of a sentence, with the text in backticks as code. */
export const prose = (sentence: string): (Node | string)[] =>
  sentence.split("`").flatMap((part, nth): (Node | string)[] => (part === "" ? [] : [nth % 2 === 1 ? element("code", {}, part) : part]));

/** Returns the element of `index.html` with this id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found as T;
}

/**
 * Adds a roving tabindex: one Tab stop, then arrow keys, Home and End, as in tabs, lists
 * and grids.
 */
export function roving(container: HTMLElement, items: () => HTMLElement[], isVertical: boolean): void {
  const [back, on] = isVertical ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
  container.addEventListener("keydown", (event) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (at < 0) return;
    const to = { [back]: at - 1, [on]: at + 1, Home: 0, End: all.length - 1 }[event.key];
    const next = to === undefined ? undefined : all[Math.max(0, Math.min(to, all.length - 1))];
    if (!next) return;
    event.preventDefault();
    for (const one of all) one.tabIndex = one === next ? 0 : -1;
    next.focus();
  });
}

/** Formats a number of bytes, such as `1.5 MB`. */
export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [unit, step] = bytes < 1024 * 1024 ? ["KB", 1024] : ["MB", 1024 * 1024];
  const count = bytes / step;
  return `${count < 10 ? count.toFixed(1) : Math.round(count)} ${unit}`;
}
