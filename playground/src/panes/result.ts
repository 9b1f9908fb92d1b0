/** The result pane: the rendered manifest, as text or as a diff. */
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { pluralize, problemCounts, summary, type Result } from "../answer";
import { copy } from "../copy";
import { byId, roving, size } from "../dom";
import { notice } from "../notices";
import { lineBreakOf, toEditor } from "../positions";
import type { Provenance } from "../provenance";
import { EDITOR_LIMIT, isBinding, type Workspace } from "../state";
import { difference } from "./difference";
import type { Covers } from "./covers";
import { centre, baseExtensions, lineBreakIn, reveal } from "./editor";
import { Marks, lineRanges } from "./marks";

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
  #outdated = byId("result-outdated");
  #isDiff = false;
  /** Whether an output may be sensitive: then values are covered until it is known which. */
  hasSecrets = true;
  #shown: Shown | undefined;
  /** The last result, and the texts of its manifests. */
  #rendered: Result | undefined;
  #sources: string[] = [];
  /** Why there is no newer result; empty if there is one. */
  #failure = "";

  constructor(
    readonly workspace: Workspace,
    readonly provenance: Provenance,
    readonly covers: Covers,
    readonly extensions: Extension[],
  ) {
    this.marks = new Marks("value", (nths) => provenance.point(nths, "result"));
    this.view = new EditorView({ parent: this.#editor });
    for (const [id, isDiff] of [["result-text", false], ["result-diff", true]] as const) {
      byId(id).addEventListener("click", () => this.#switch(isDiff));
    }
    roving(byId("result-modes"), () => [byId("result-text"), byId("result-diff")], false);
    byId("result-copy").addEventListener("click", ({ currentTarget }) => {
      void copy(currentTarget as HTMLElement, this.#shown?.content ?? "");
      const missing = workspace.withheld.size;
      if (missing > 0) notice("copy", "info", `It has placeholders instead of the values of ${pluralize(missing, "sensitive output")}.`);
    });
    workspace.listen((change) => {
      if (change !== "text") this.#draw();
    });
    provenance.listen((lit, by) => {
      this.view.dispatch({ effects: this.marks.setLit(lit) });
      if (by === "result" || by === "page") return;
      if (by !== "open") return this.revealLit();
      const range = this.litRanges().get(lit[0] ?? -1);
      if (range && this.#root.offsetParent) centre(this.view, range.from);
    });
  }

  /** Scrolls to the highlighted value, also when the pane was hidden on a narrow screen. */
  revealLit(): void {
    const range = this.litRanges().get(this.provenance.lit[0] ?? -1);
    if (range && this.#root.offsetParent) reveal(this.view, range.from);
  }

  /** Shows the result of an answer; `undefined` for a workspace that was just opened. */
  update(answer: Result | undefined): void {
    const isRendered = !answer || answer.explanation.files !== undefined;
    if (isRendered) {
      this.#rendered = answer;
      this.#sources = answer?.snapshot.manifests.map((doc) => doc.text) ?? [];
    }
    this.#failure = isRendered ? "" : `Nothing was rendered: ${summary(problemCounts(answer!.explanation))}.`;
    this.#draw();
  }

  /** Shows why there is no answer for the current text. */
  stopped(why: string): void {
    this.#failure = why;
    this.#draw();
  }

  litRanges(): Map<number, { from: number; to: number }> {
    return this.#editor.hidden ? new Map() : this.marks.litRanges(this.view.state);
  }

  /** Returns the rendered files, or none if the current text was not rendered. */
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
    const manifests = rendered?.snapshot.manifests ?? [];
    // A Binding has no result; the first manifest's is shown instead.
    const at = open && !isBinding(open) ? manifests.indexOf(open) : 0;
    const file = rendered?.explanation.files?.[at];
    byId("result-path").textContent = file?.path.replace(/^.*\//, "") ?? "";
    const isLarge = file !== undefined && file.content.length > EDITOR_LIMIT;
    this.#editor.hidden = !file || isLarge;
    this.#note.hidden = !this.#editor.hidden;
    this.#outdated.hidden = !failed || !file;
    this.#root.classList.toggle("old", failed);
    // An outdated result must not be copied.
    byId<HTMLButtonElement>("result-copy").disabled = failed || this.#editor.hidden;
    if (!file) {
      this.#shown = undefined;
      this.#note.textContent = failed ? this.#failure : manifests.length === 0 && rendered ? "There are no manifests to render." : "";
      return;
    }
    if (isLarge) {
      this.#shown = undefined;
      this.#note.textContent = `The result is too large to show here (${size(file.content.length)}). Download it as a zip.`;
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
      baseExtensions(shown.path, lineBreakOf(shown.content), `Result for ${shown.path}`),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ tabindex: "0", role: "textbox", "aria-readonly": "true", "aria-multiline": "true" }),
      this.marks.extension,
      this.covers.extension,
      this.extensions,
    ];
    const { scrollTop, scrollLeft } = this.view.scrollDOM;
    const state = EditorState.create({ doc: shown.content, extensions });
    this.view.setState(
      shown.isDiff ? EditorState.create({ doc: state.doc, extensions: [extensions, difference(shown.source, state)] }) : state,
    );
    if (before?.path === shown.path) this.view.scrollDOM.scrollTo(scrollLeft, scrollTop);
  }

  /** Replaces only the range that differs, so that the view does not jump during typing. */
  #amend(before: string, after: string): boolean {
    if (lineBreakIn(this.view.state) !== "\n" || lineBreakOf(after) !== "\n") return false;
    const shorter = Math.min(before.length, after.length);
    let start = 0;
    while (start < shorter && before[start] === after[start]) start++;
    let end = 0;
    while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
    this.view.dispatch({
      changes: { from: start, to: before.length - end, insert: after.slice(start, after.length - end) },
      ...(this.hasSecrets && { annotations: this.covers.unknown() }),
    });
    return true;
  }

  /** Marks the values. Until they are known, the marks of the last answer move with the text. */
  #decorate(answer: Result, file: number): void {
    const { state } = this.view;
    const { substitutions, areKnown = true } = answer;
    if (!substitutions || !areKnown) {
      const isCovered = substitutions === undefined && this.covers.hasAny(state);
      if (this.hasSecrets && !isCovered) this.view.dispatch({ effects: this.covers.set([{ from: 0, to: state.doc.length }]) });
      if (!substitutions) return;
    }
    const lineBreak = lineBreakIn(state);
    const at = (offset: number) => toEditor(state.doc, lineBreak, offset);
    const found = substitutions.flatMap(({ file: index, sensitive, result: { start, end } }, nth) =>
      index === file ? lineRanges(state.doc, at(start.offset), at(end.offset)).map((range) => ({ ...range, sensitive, nths: [nth] })) : [],
    );
    this.view.dispatch({
      effects: [
        // An outdated result has no marks, but still its secrets.
        this.marks.setRanges(this.#failure ? [] : found),
        this.marks.setLit(this.provenance.lit),
        ...(areKnown ? [this.covers.set(found.filter(({ sensitive }) => sensitive))] : []),
      ],
    });
  }
}
