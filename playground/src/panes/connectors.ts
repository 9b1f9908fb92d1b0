/** Draws lines between the panes, from an output to its references and on to their values. */
import type { EditorView } from "@codemirror/view";
import { byId } from "../dom";
import type { Provenance } from "../provenance";
import type { Workspace } from "../state";

interface Lines {
  view: EditorView;
  litRanges(): Map<number, { from: number; to: number }>;
}

/** The maximum number of lines; an output can have hundreds of references. */
const MAX_LINES = 12;

const SVG = "http://www.w3.org/2000/svg";

/**
 * An end of a line. Lines start after the text of a row and end at a pane's left edge, so
 * that they cross no text.
 */
interface Point {
  /** The pane's left edge. */
  left: number;
  /** Where the row's text ends. */
  right: number;
  /** The pane's right edge. */
  edge: number;
  y: number;
}

export function connectors(
  outputs: Lines,
  manifests: Lines,
  result: Lines,
  provenance: Provenance,
  workspace: Workspace,
): void {
  const svg = document.getElementById("connectors")!;
  const panes = byId("panes");
  let isScheduled = false;

  /** Returns where a range is on the screen, or `undefined` if it is scrolled out of view. */
  const point = ({ view }: Lines, range: { from: number; to: number } | undefined): Point | undefined => {
    // Text outside the viewport has no coordinates, and asking for them is slow.
    if (!range || range.from < view.viewport.from || range.from > view.viewport.to) return undefined;
    const start = view.coordsAtPos(range.from, 1);
    const lineEnd = view.state.doc.lineAt(range.from).to;
    const end = view.coordsAtPos(lineEnd, -1);
    if (!start || !end) return undefined;
    const inside = view.scrollDOM.getBoundingClientRect();
    const y = (start.top + start.bottom) / 2;
    if (y < inside.top || y > inside.bottom || inside.width === 0) return undefined;
    const base = panes.getBoundingClientRect();
    const within = (x: number) => Math.max(inside.left, Math.min(x, inside.right)) - base.left;
    return { left: inside.left - base.left, right: within(end.right + 6), edge: inside.right - base.left, y: y - base.top };
  };

  const draw = () => {
    isScheduled = false;
    const lines: SVGElement[] = [];
    const line = (from: Point | undefined, to: Point | undefined) => {
      if (!from || !to || lines.length >= MAX_LINES) return;
      // There is no space between panes that are stacked, as on a phone.
      if (to.left <= from.right) return;
      const middle = (from.edge + to.left) / 2;
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", `M${from.right} ${from.y} H${from.edge - 6} C${middle + 8} ${from.y} ${middle - 8} ${to.y} ${to.left + 1} ${to.y}`);
      path.setAttribute("marker-end", "url(#arrow)");
      lines.push(path);
    };
    const ranges = { outputs: outputs.litRanges(), manifests: manifests.litRanges(), result: result.litRanges() };
    for (const nth of provenance.lit) {
      if (lines.length >= MAX_LINES) break;
      const middle = point(manifests, ranges.manifests.get(nth));
      if (!middle) continue;
      line(point(outputs, ranges.outputs.get(nth)), middle);
      line(middle, point(result, ranges.result.get(nth)));
    }
    svg.querySelector("g")!.replaceChildren(...lines);
  };
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(draw);
  };

  provenance.listen(schedule);
  workspace.listen(schedule);
  const sizes = new ResizeObserver(schedule);
  sizes.observe(panes);
  for (const { view } of [outputs, manifests, result]) {
    // The panes can be resized, and their lines wrapped.
    for (const part of [view.scrollDOM, view.contentDOM]) sizes.observe(part);
    view.scrollDOM.addEventListener("scroll", schedule, { passive: true });
    new MutationObserver(schedule).observe(view.contentDOM, { childList: true, subtree: true, characterData: true });
  }
  addEventListener("scroll", schedule, { passive: true });
}
