/** Lines between the panes, from an output to its references to their values. */
import type { EditorView } from "@codemirror/view";
import { byId } from "../dom";
import type { Provenance } from "../provenance";

interface Lines {
  view: EditorView;
  litPlaces(): Map<number, { from: number; to: number }>;
}

/** An output can have hundreds of references; more lines than these say nothing. */
const MOST = 12;

const SVG = "http://www.w3.org/2000/svg";

interface Point {
  left: number;
  right: number;
  y: number;
}

export function connectors(outputs: Lines, manifests: Lines, result: Lines, provenance: Provenance): void {
  const svg = document.getElementById("connectors")!;
  const panes = byId("panes");
  let isAsked = false;

  /** Where a place is drawn; nothing when it is scrolled out of sight. */
  const point = (lines: Lines, nth: number): Point | undefined => {
    const place = lines.litPlaces().get(nth);
    if (!place) return undefined;
    // A list begins with a line break: the line leads to its first item.
    const text = lines.view.state.sliceDoc(place.from, Math.min(place.to, place.from + 80));
    const from = place.from + (/^\s*/.exec(text)?.[0].length ?? 0);
    const start = lines.view.coordsAtPos(from, 1);
    const lineEnd = lines.view.state.doc.lineAt(from).to;
    const end = lines.view.coordsAtPos(Math.min(place.to, lineEnd), -1);
    if (!start || !end) return undefined;
    const inside = lines.view.scrollDOM.getBoundingClientRect();
    const y = (start.top + start.bottom) / 2;
    if (y < inside.top || y > inside.bottom || inside.width === 0) return undefined;
    const base = panes.getBoundingClientRect();
    const within = (x: number) => Math.max(inside.left, Math.min(x, inside.right)) - base.left;
    return { left: within(start.left) - 3, right: within(end.right) + 3, y: y - base.top };
  };

  const draw = () => {
    isAsked = false;
    const lines: SVGElement[] = [];
    const line = (from: Point | undefined, to: Point | undefined) => {
      if (!from || !to || lines.length >= MOST) return;
      // Stacked, as on a phone, the panes have no way between them.
      if (to.left <= from.right) return;
      const bend = Math.max(24, (to.left - from.right) / 2);
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", `M${from.right} ${from.y} C${from.right + bend} ${from.y} ${to.left - bend} ${to.y} ${to.left} ${to.y}`);
      path.setAttribute("marker-end", "url(#arrow)");
      lines.push(path);
    };
    for (const nth of provenance.lit) {
      const middle = point(manifests, nth);
      line(point(outputs, nth), middle);
      line(middle, point(result, nth));
    }
    svg.querySelector("g")!.replaceChildren(...lines);
  };
  const ask = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(draw);
  };

  provenance.listen(ask);
  for (const { view } of [outputs, manifests, result]) {
    view.scrollDOM.addEventListener("scroll", ask, { passive: true });
    new MutationObserver(ask).observe(view.contentDOM, { childList: true, subtree: true, characterData: true });
  }
  new ResizeObserver(ask).observe(panes);
  addEventListener("scroll", ask, { passive: true });
}
