/** Lines between the panes, from an output to its references to their values. */
import type { EditorView } from "@codemirror/view";
import { byId } from "../dom";
import type { Provenance } from "../provenance";
import type { Workspace } from "../state";

interface Lines {
  view: EditorView;
  litPlaces(): Map<number, { from: number; to: number }>;
}

/** An output can have hundreds of references; more lines than these say nothing. */
const MAX_LINES = 12;

const SVG = "http://www.w3.org/2000/svg";

/** Lines begin behind the text of their row and end before that of theirs: they cross none. */
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
  let isAsked = false;

  /** Where a place is drawn; nothing when it is scrolled out of sight. */
  const point = ({ view }: Lines, place: { from: number; to: number } | undefined): Point | undefined => {
    // What is scrolled far away has no coordinates, and asking for them takes time.
    if (!place || place.from < view.viewport.from || place.from > view.viewport.to) return undefined;
    const start = view.coordsAtPos(place.from, 1);
    const lineEnd = view.state.doc.lineAt(place.from).to;
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
    isAsked = false;
    const lines: SVGElement[] = [];
    const line = (from: Point | undefined, to: Point | undefined) => {
      if (!from || !to || lines.length >= MAX_LINES) return;
      // Stacked, as on a phone, the panes have no way between them.
      if (to.left <= from.right) return;
      const middle = (from.edge + to.left) / 2;
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", `M${from.right} ${from.y} H${from.edge - 6} C${middle + 8} ${from.y} ${middle - 8} ${to.y} ${to.left + 1} ${to.y}`);
      path.setAttribute("marker-end", "url(#arrow)");
      lines.push(path);
    };
    const places = { outputs: outputs.litPlaces(), manifests: manifests.litPlaces(), result: result.litPlaces() };
    for (const nth of provenance.lit) {
      if (lines.length >= MAX_LINES) break;
      const middle = point(manifests, places.manifests.get(nth));
      if (!middle) continue;
      line(point(outputs, places.outputs.get(nth)), middle);
      line(middle, point(result, places.result.get(nth)));
    }
    svg.querySelector("g")!.replaceChildren(...lines);
  };
  const ask = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(draw);
  };

  provenance.listen(ask);
  workspace.listen(ask);
  for (const { view } of [outputs, manifests, result]) {
    view.scrollDOM.addEventListener("scroll", ask, { passive: true });
    new MutationObserver(ask).observe(view.contentDOM, { childList: true, subtree: true, characterData: true });
  }
  new ResizeObserver(ask).observe(panes);
  addEventListener("scroll", ask, { passive: true });
}
