/** The result pane: what the open manifest becomes, as text or as a diff. */
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { problemCounts, summary, type Answer } from "../answer";
import { byId, roving, size } from "../dom";
import { notice } from "../notices";
import { lineBreakOf, toEditor } from "../positions";
import type { Provenance } from "../provenance";
import { EDITOR_LIMIT, isBinding, type Workspace } from "../state";
import { difference } from "./difference";
import { centre, common, lineBreakIn, reveal } from "./editor";
import { Marks, stretches } from "./marks";

interface Shown {
  path: string;
  source: string;
  content: string;
  isDiff: boolean;
}

export class ResultPane {
  readonly view: EditorView;
  readonly marks: Marks;
  #root = byId("result");
  #editor = byId("result-editor");
  #note = byId("result-note");
  #told = byId("result-told");
  #isDiff = false;
  #shown: Shown | undefined;
  /** The last answer that rendered, and the manifests as it read them. */
  #rendered: Answer | undefined;
  #sources: string[] = [];
  /** Why there is no newer one. */
  #failure = "";

  constructor(
    readonly workspace: Workspace,
    readonly provenance: Provenance,
  ) {
    this.marks = new Marks("value", (nths) => provenance.point(nths, "result"));
    this.view = new EditorView({ parent: this.#editor });
    for (const [id, isDiff] of [["result-text", false], ["result-diff", true]] as const) {
      byId(id).addEventListener("click", () => this.#switch(isDiff));
    }
    roving(byId("result-modes"), () => [byId("result-text"), byId("result-diff")], false);
    byId("result-copy").addEventListener("click", () => void this.#copy());
    workspace.listen((change) => {
      if (change !== "text") this.#draw();
    });
    provenance.listen((lit, by) => {
      this.view.dispatch({ effects: this.marks.lit(lit) });
      if (by === "result" || by === "page") return;
      const place = this.litPlaces().get(lit[0] ?? -1);
      if (!place || !this.#root.offsetParent) return;
      if (by === "open") centre(this.view, place.from);
      else reveal(this.view, place.from);
    });
  }

  /** `undefined`: another workspace was opened, and nothing is known of it yet. */
  renew(answer: Answer | undefined): void {
    const isRendered = !answer || answer.explanation.files !== undefined;
    if (isRendered) {
      this.#rendered = answer;
      this.#sources = answer?.asked.manifests.map((doc) => doc.text) ?? [];
    }
    this.#failure = isRendered ? "" : `Nothing was rendered: ${summary(problemCounts(answer!.explanation))}.`;
    byId("show-problems").hidden = false;
    this.#draw();
  }

  /** There is no answer to what stands there now. */
  stopped(why: string): void {
    this.#failure = why;
    byId("show-problems").hidden = true;
    this.#draw();
  }

  litPlaces(): Map<number, { from: number; to: number }> {
    return this.#editor.hidden ? new Map() : this.marks.litPlaces(this.view.state);
  }

  /** What was rendered of what stands there now, file by file. */
  files(): { path: string; content: string }[] {
    return (!this.#failure && this.#rendered?.explanation.files) || [];
  }

  #switch(isDiff: boolean): void {
    this.#isDiff = isDiff;
    for (const [id, is] of [["result-text", !isDiff], ["result-diff", isDiff]] as const) {
      byId(id).setAttribute("aria-selected", String(is));
      byId(id).tabIndex = is ? 0 : -1;
    }
    this.#draw();
  }

  #draw(): void {
    const rendered = this.#rendered;
    const failed = this.#failure !== "";

    const open = this.workspace.open.manifests;
    const manifests = rendered?.asked.manifests ?? [];
    // A Binding has no result; the first manifest's is shown beside it.
    const at = open && !isBinding(open) ? manifests.indexOf(open) : 0;
    const file = rendered?.explanation.files?.[at];
    byId("result-path").textContent = file?.path.replace(/^.*\//, "") ?? "";
    const isLarge = file !== undefined && file.content.length > EDITOR_LIMIT;
    this.#editor.hidden = !file || isLarge;
    this.#note.hidden = !this.#editor.hidden;
    this.#told.textContent = failed && file ? `${this.#failure} Below is what was rendered before.` : this.#failure;
    this.#told.parentElement!.hidden = !failed;
    this.#root.classList.toggle("old", failed);
    // Nobody takes along what is not the result of what stands there.
    byId<HTMLButtonElement>("result-copy").disabled = failed || this.#editor.hidden;
    if (!file) {
      this.#shown = undefined;
      this.#note.textContent = failed ? "" : manifests.length === 0 && rendered ? "There is no manifest to render." : "";
      return;
    }
    if (isLarge) {
      this.#shown = undefined;
      this.#note.textContent = `The result has ${size(file.content.length)}: too much to show here. It is in the zip.`;
      return;
    }
    const shown: Shown = { path: file.path, source: this.#sources[at] ?? "", content: file.content, isDiff: this.#isDiff };
    this.#put(shown);
    if (rendered) this.#decorate(rendered, at);
  }

  #put(shown: Shown): void {
    const before = this.#shown;
    this.#shown = shown;
    const isSame =
      before?.path === shown.path &&
      before.isDiff === shown.isDiff &&
      before.content === shown.content &&
      (!shown.isDiff || before.source === shown.source);
    if (isSame) return;
    if (before?.path === shown.path && !before.isDiff && !shown.isDiff && this.#amend(before.content, shown.content)) return;

    const extensions: Extension[] = [
      common(shown.path, shown.content, `Result for ${shown.path}`),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ tabindex: "0", role: "textbox", "aria-readonly": "true", "aria-multiline": "true" }),
      this.marks.extension,
    ];
    const { scrollTop, scrollLeft } = this.view.scrollDOM;
    const state = EditorState.create({ doc: shown.content, extensions });
    this.view.setState(
      shown.isDiff ? EditorState.create({ doc: state.doc, extensions: [extensions, difference(shown.source, state)] }) : state,
    );
    if (before?.path === shown.path) this.view.scrollDOM.scrollTo(scrollLeft, scrollTop);
  }

  /** Changes only the stretch that differs, so that nothing jumps while somebody types. */
  #amend(before: string, after: string): boolean {
    if (lineBreakIn(this.view.state) !== "\n" || lineBreakOf(after) !== "\n") return false;
    const most = Math.min(before.length, after.length);
    let start = 0;
    while (start < most && before[start] === after[start]) start++;
    let end = 0;
    while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
    this.view.dispatch({
      changes: { from: start, to: before.length - end, insert: after.slice(start, after.length - end) },
    });
    return true;
  }

  #decorate(answer: Answer, file: number): void {
    const { state } = this.view;
    const lineBreak = lineBreakIn(state);
    const places =
      !this.#failure
        ? answer.substitutions.flatMap(({ file: in_, result: { start, end } }, nth) =>
            in_ === file
              ? stretches(
                  state.doc,
                  toEditor(state.doc, lineBreak, start.offset),
                  toEditor(state.doc, lineBreak, end.offset),
                ).map((stretch) => ({ ...stretch, nths: [nth] }))
              : [],
          )
        : [];
    this.view.dispatch({ effects: [this.marks.places(places), this.marks.lit(this.provenance.lit)] });
  }

  async #copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.#shown?.content ?? "");
      notice("copied", "told", "The result was copied.");
    } catch {
      notice("copied", "wrong", "The browser did not let the page write to the clipboard.");
    }
  }
}
