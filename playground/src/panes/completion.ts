/** Completion in manifests: names behind `${` and `.`, functions behind `|`. The core knows them. */
import { autocompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { ask } from "../answer";
import type { Queue } from "../core/queue";
import { toEditor } from "../positions";
import type { Workspace } from "../state";
import type { DocumentsPane } from "./documents";
import { lineBreakIn } from "./editor";

const TYPE = { output: "variable", key: "property", function: "function", binding: "namespace" } as const;

/** Something that may be a reference that has not ended yet. */
const OPEN_REFERENCE = /\$\{[^}\n]*$/;

export function completion(workspace: Workspace, queue: Queue, pane: () => DocumentsPane): Extension {
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { state, pos } = context;
    const line = state.doc.lineAt(pos);
    const before = line.text.slice(Math.max(0, pos - line.from - 500), pos - line.from);
    if (!OPEN_REFERENCE.test(before) && !/#\s*landfall:/.test(before)) return null;
    const here = pane().offset(pos);
    const { asked, input } = ask(workspace);
    const manifest = here ? asked.manifests.indexOf(here.doc) : -1;
    if (!here || manifest < 0) return null;
    const outcome = await queue.ask({ kind: "complete", input, at: { manifest, offset: here.offset } });
    if (outcome.kind !== "done" || outcome.value.length === 0 || context.aborted) return null;
    const place = (offset: number) => toEditor(state.doc, lineBreakIn(state), offset);
    const first = outcome.value[0]!.range;
    const options = outcome.value.map(
      (one): Completion => ({
        label: one.label,
        detail: one.detail,
        type: TYPE[one.kind],
        apply: one.insert,
      }),
    );
    return {
      from: place(first.start.offset),
      to: place(first.end.offset),
      options,
      validFor: /^[\w-]*$/,
    };
  };
  return autocompletion({ override: [source], icons: false, activateOnTyping: true, activateOnTypingDelay: 30 });
}
