/** The result against its source. A part of its own, loaded when it is first needed. */
import { unifiedMergeView } from "@codemirror/merge";
import type { Extension } from "@codemirror/state";

export const difference = (source: string): Extension =>
  unifiedMergeView({
    // Line by line is enough to compare in: an editor splits it as its own text.
    original: source.replace(/\r\n/g, "\n"),
    mergeControls: false,
    gutter: true,
    highlightChanges: true,
    collapseUnchanged: { margin: 2, minSize: 6 },
    diffConfig: { scanLimit: 2000, timeout: 500 },
  });
