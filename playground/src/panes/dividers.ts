/** Dividers that resize the panes and the lists below them. The browser remembers the sizes. */
import { byId, element } from "../dom";

const KEY = "landfall-sizes";
/** The smallest and the largest share of the window that a pane or the lists can have, in percent. */
const [MIN, MAX] = [15, 60];
const STEP = 2;

/**
 * Positions in percent: where the outputs end, where the manifests end, and the height of the lists.
 * Without a height, the lists have that of the style sheet.
 */
export type Sizes = [outputs: number, manifests: number, lists: number | undefined];
/** The columns as in `frame.css`. */
const DEFAULT: Sizes = [31.65, 65.82, undefined];

/** Returns the stored sizes; broken ones and those of an older page count as none. */
export function parsedSizes(text: string | null): Sizes {
  try {
    const [outputs, manifests, lists] = JSON.parse(text ?? "") as Sizes;
    const isWithin = (size: unknown, min: number, max: number) => typeof size === "number" && size >= min && size <= max;
    const areColumns = isWithin(outputs, MIN, 100 - 2 * MIN) && isWithin(manifests, outputs + MIN, 100 - MIN);
    if (areColumns && (lists == null || isWithin(lists, MIN, MAX))) return [outputs, manifests, lists ?? undefined];
  } catch {
    // See below.
  }
  return [...DEFAULT];
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function dividers(): void {
  const sizes = parsedSizes(stored());
  const [panes, lists] = [byId("panes"), document.querySelector<HTMLElement>(".below")!];

  const all = [
    { label: "Width of the outputs", of: byId("manifests"), controls: "outputs", isColumn: true },
    { label: "Width of the manifests", of: byId("result"), controls: "manifests", isColumn: true },
    { label: "Height of the lists", of: lists, controls: "lists", isColumn: false },
  ].map(({ label, of, controls, isColumn }, nth) => {
    const divider = element("div", {
      class: "divider",
      role: "separator",
      tabindex: "0",
      title: "Drag or use the arrow keys; double-click or press Enter for the original size",
      "aria-label": label,
      "aria-controls": controls,
      "aria-orientation": isColumn ? "vertical" : "horizontal",
      "data-testid": `divider-${controls}`,
    });
    const value = () => sizes[nth] ?? (lists.offsetHeight / innerHeight) * 100;
    const limits = () => [
      [MIN, sizes[1] - MIN],
      [sizes[0] + MIN, 100 - MIN],
      [MIN, MAX],
    ][nth] as [number, number];
    const set = (size: number | undefined) => {
      const [min, max] = limits();
      sizes[nth] = size === undefined ? undefined : Math.round(Math.max(min, Math.min(size, max)) * 10) / 10;
      draw();
    };
    divider.addEventListener("pointerdown", (event) => {
      if (event.button === 0) divider.setPointerCapture(event.pointerId);
    });
    divider.addEventListener("pointermove", ({ pointerId, clientX, clientY }) => {
      if (!divider.hasPointerCapture(pointerId)) return;
      const { left, width } = panes.getBoundingClientRect();
      set(isColumn ? ((clientX - left) / width) * 100 : ((lists.getBoundingClientRect().bottom - clientY) / innerHeight) * 100);
    });
    divider.addEventListener("lostpointercapture", keep);
    divider.addEventListener("dblclick", () => (set(DEFAULT[nth]), keep()));
    divider.addEventListener("keydown", (event) => {
      const [min, max] = limits();
      const [less, more] = isColumn ? ["ArrowLeft", "ArrowRight"] : ["ArrowDown", "ArrowUp"];
      const sizeOf = { [less]: value() - STEP, [more]: value() + STEP, Home: min, End: max, Enter: DEFAULT[nth] };
      if (!(event.key in sizeOf)) return;
      event.preventDefault();
      set(sizeOf[event.key]);
      keep();
    });
    of.prepend(divider);
    return { divider, value, limits };
  });

  function draw(): void {
    const [outputs, manifests, height] = sizes;
    const { style } = document.documentElement;
    // As in `public/sizes.js`.
    style.setProperty("--outputs", `${outputs}fr`);
    style.setProperty("--manifests", `${manifests - outputs}fr`);
    style.setProperty("--result", `${100 - manifests}fr`);
    if (height === undefined) style.removeProperty("--lists");
    else style.setProperty("--lists", `${height}vh`);
    for (const { divider, value, limits } of all) {
      const [min, max] = limits();
      for (const [name, number] of [["now", value()], ["min", min], ["max", max]] as const) {
        divider.setAttribute(`aria-value${name}`, String(Math.round(number)));
      }
    }
  }

  function keep(): void {
    try {
      localStorage.setItem(KEY, JSON.stringify(sizes));
    } catch {
      // Storage is disabled: the sizes last until the page is closed.
    }
  }
  draw();
}
