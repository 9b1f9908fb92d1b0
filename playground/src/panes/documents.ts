/** A pane with documents: tabs, buttons, and an editor with the open document. */
import { EditorState, StateEffect, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Answer } from "../answer";
import { docOf, docsOf, isCurrent } from "../answer";
import type { Range } from "landfall";
import { byId, element, roving, size } from "../dom";
import { valueAfterName } from "../json";
import { notice } from "../notices";
import { fromEditor, lineBreakOf, toEditor, type LineBreak } from "../positions";
import type { Lit, Provenance } from "../provenance";
import type { WorkspaceSensitivity } from "../secrets";
import { BINDING_NAME, DOCUMENT_LIMIT, EDITOR_LIMIT, isBinding, isBlank, type Doc, type Side, type Workspace } from "../state";
import type { Covers } from "./covers";
import { documentDetails } from "./document_form";
import { centre, baseExtensions, lineBreakIn, reveal, editingExtensions } from "./editor";
import { Marks, lineRanges, type MarkedRange } from "./marks";
import { squiggles, squiggleExtension, type ApplyFix } from "./squiggles";

const EMPTY = {
  manifests: "# Your manifest: write ${infra.name} where you need the value of an output.\n",
  outputs: '{\n  "name": {"value": "text"}\n}\n',
};

export class DocumentsPane {
  readonly view: EditorView;
  readonly marks: Marks;
  #answer: Answer | undefined;
  /** The last answer with a result: its highlights stay while there are errors. */
  #rendered: Answer | undefined;
  #shown: Doc | undefined;
  /** Editor states, with their undo history, of documents that are not open or were deleted. */
  #states = new WeakMap<Doc, { state: EditorState; revision: number; scrolled?: StateEffect<unknown> }>();
  /** Where the values of sensitive outputs are, in documents that the core has read once. */
  #secret = new WeakMap<Doc, { ranges: Range[]; revision: number }>();
  /** Whether an outputs document has a sensitive value. */
  #hasSecrets = false;
  /** Whether the editor has a text that was opened and not typed. */
  #isBrought = false;
  #tabs: HTMLElement;
  #note: HTMLElement;
  #editor: HTMLElement;

  constructor(
    readonly side: Side,
    readonly root: HTMLElement,
    readonly workspace: Workspace,
    readonly provenance: Provenance,
    readonly fix: ApplyFix,
    readonly extensions: Extension[],
    readonly covers: Covers,
    /** Called after a whole document was replaced by a pasted one. */
    readonly onpasted: (doc: Doc, before: string) => void,
  ) {
    const part = (name: string) => root.querySelector<HTMLElement>(`.${name}`)!;
    this.#tabs = part("tabs");
    this.#note = part("note");
    this.#editor = part("editor");
    this.marks = new Marks(side === "outputs" ? "defined" : "reference", (nths) => provenance.point(nths, side));
    this.view = new EditorView({ parent: this.#editor });
    roving(this.#tabs, () => [...this.#tabs.querySelectorAll<HTMLElement>("[role=tab]")], false);
    part("add-file").addEventListener("click", () => void this.#add());
    part("rename-file").addEventListener("click", () => void this.#rename());
    part("delete-file").addEventListener("click", () => this.#delete());
    workspace.listen((change) => {
      if (change === "text") this.#badge();
      else this.#refresh();
    });
    provenance.listen((lit, by) => {
      this.view.dispatch({ effects: this.marks.setLit(lit) });
      const range = by === "open" ? this.litRanges().get(lit[0] ?? -1) : undefined;
      if (range) centre(this.view, range.from);
      if (by !== side && by !== "page" && by !== "open") this.#follow(lit, by === "row");
    });
  }

  /** Scrolls to an offset in a document and puts the cursor there. */
  jump(doc: Doc, offset: number): void {
    this.workspace.show(doc);
    if (this.#editor.hidden) return;
    const at = toEditor(this.view.state.doc, lineBreakIn(this.view.state), offset);
    this.view.focus();
    this.view.dispatch({
      selection: { anchor: at },
      effects: EditorView.scrollIntoView(at, { y: "center" }),
    });
  }

  /** Applies edits to a document; in an editor they can be undone. */
  change(doc: Doc, edits: { from: number; to: number; text: string }[]): void {
    this.workspace.show(doc);
    if (this.#editor.hidden) {
      let text = doc.text;
      for (const edit of [...edits].sort((a, b) => b.from - a.from)) {
        text = text.slice(0, edit.from) + edit.text + text.slice(edit.to);
      }
      this.workspace.edit(doc, text, "page");
      return;
    }
    const { state } = this.view;
    const lineBreak = lineBreakIn(state);
    this.view.dispatch({
      changes: edits.map(({ from, to, text }) => ({
        from: toEditor(state.doc, lineBreak, from),
        to: toEditor(state.doc, lineBreak, to),
        insert: state.toText(text),
      })),
      scrollIntoView: true,
      userEvent: "input.fix",
    });
  }

  /** Returns the open document, and the offset in its text for a position in the editor. */
  offset(position: number): { doc: Doc; offset: number } | undefined {
    const { state } = this.view;
    return this.#shown && { doc: this.#shown, offset: fromEditor(state.doc, lineBreakIn(state), position) };
  }

  /** Covers the values of sensitive outputs in the open document. In an invalid one they are where they were. */
  cover({ outputs, redacted }: WorkspaceSensitivity): void {
    this.#hasSecrets = redacted.some((one) => one && one.replaced.length > 0);
    for (const [nth, doc] of outputs.entries()) {
      const redaction = redacted[nth];
      if (redaction) this.#secret.set(doc, { ranges: redaction.replaced, revision: doc.revision });
    }
    this.#cover();
  }

  #cover(): void {
    const doc = this.#shown;
    if (this.side !== "outputs" || !doc || this.#editor.hidden) return;
    const { state } = this.view;
    const secret = this.#secret.get(doc);
    const at = (offset: number) => toEditor(state.doc, lineBreakIn(state), offset);
    const known = secret?.revision === doc.revision ? secret.ranges : undefined;
    const found = known?.map(({ start, end }) => ({ from: at(start.offset), to: at(end.offset) }));
    // Until the core has read what was brought, anything in it may be secret.
    const all = this.#isBrought && !found ? [{ from: 0, to: state.doc.length }] : undefined;
    const ranges = found ?? all;
    this.#isBrought = false;
    this.view.dispatch({ effects: ranges ? this.covers.set(ranges) : this.covers.refresh() });
    byId("show-secrets").hidden = !this.#hasSecrets && !this.covers.hasAny(this.view.state);
  }

  update(answer: Answer | undefined): void {
    this.#answer = answer;
    if (!answer || answer.explanation.files) this.#rendered = answer;
    this.#decorate();
    this.#badge();
  }

  /** Returns the range of each highlighted substitution in the open document. */
  litRanges(): Map<number, { from: number; to: number }> {
    return this.#editor.hidden ? new Map() : this.marks.litRanges(this.view.state);
  }

  #follow(lit: Lit, mayOpen: boolean): void {
    const substitution = this.#rendered?.substitutions[lit[0] ?? -1];
    if (!substitution || !this.#rendered) return;
    const doc = docsOf(this.#rendered.snapshot, substitution)[this.side];
    // Keystrokes must not end up in another document.
    const isTyping = this.view.hasFocus;
    if (doc && !isTyping && (mayOpen || this.side === "outputs")) this.workspace.show(doc);
    const range = this.litRanges().get(lit[0] ?? -1);
    if (range && this.root.offsetParent) reveal(this.view, range.from);
  }

  #refresh(): void {
    this.#drawTabs();
    this.#show(this.workspace.open[this.side]);
  }

  /** Focuses the tab of the open document, or the add button if there is none. */
  focus(): void {
    this.root.querySelector<HTMLElement>("[role=tab][aria-selected=true], .tabs:empty ~ * .add-file")?.focus();
  }

  #drawTabs(): void {
    const hadFocus = this.#tabs.contains(document.activeElement);
    const open = this.workspace.open[this.side];
    const tabs = this.workspace.of(this.side).map((doc) => {
      const isOpen = doc === open;
      const tab = element(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${doc.key}`,
          "aria-selected": String(isOpen),
          "aria-controls": `${this.side}-body`,
          "data-testid": "tab",
          "data-key": String(doc.key),
          tabindex: isOpen ? "0" : "-1",
          title: doc.path,
        },
        element("span", { class: "path" }, doc.path.replace(/^.*\//, "")),
      );
      tab.setAttribute("aria-label", this.side === "outputs" ? `${doc.path}, bound as ${doc.name}` : isBinding(doc) ? `${doc.path}, the Binding` : doc.path);
      // Drawn by the style sheet: the accessible name has it in other words.
      const bound = this.side === "outputs" ? doc.name : isBinding(doc) ? "Binding" : undefined;
      if (bound) tab.append(element("span", { class: "bound", "data-bound": bound }));
      tab.addEventListener("click", () => this.workspace.show(doc));
      tab.addEventListener("focus", () => this.workspace.show(doc));
      tab.addEventListener("dblclick", () => void this.#rename());
      tab.addEventListener("keydown", (event) => {
        if (event.key === "F2") void this.#rename();
        if (event.key === "Delete") this.#delete();
      });
      return tab;
    });
    this.#tabs.replaceChildren(...tabs);
    this.#drawList(open);
    const openTab = tabs.find((tab) => tab.getAttribute("aria-selected") === "true");
    openTab?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (hadFocus) openTab?.focus();
    for (const name of ["rename-file", "delete-file"]) {
      this.root.querySelector<HTMLButtonElement>(`.${name}`)!.disabled = !open;
    }
    this.#badge();
  }

  /** Lists all paths in a menu, because many tabs do not fit side by side. */
  #drawList(open: Doc | undefined): void {
    const docs = this.workspace.of(this.side);
    const menu = this.root.querySelector<HTMLSelectElement>(".all-files select")!;
    menu.parentElement!.hidden = docs.length < (this.side === "outputs" ? 2 : 3);
    menu.previousElementSibling!.textContent = String(docs.length);
    menu.replaceChildren(
      ...docs.map((doc) => element("option", { value: String(doc.key), selected: doc === open }, doc.path)),
    );
    menu.onchange = () => {
      const doc = this.workspace.find(Number(menu.value));
      if (doc) this.workspace.show(doc);
    };
  }

  /** Marks the tabs of documents with problems. */
  #badge(): void {
    const answer = this.#answer;
    for (const tab of this.#tabs.querySelectorAll<HTMLElement>("[role=tab]")) {
      const doc = this.workspace.find(Number(tab.dataset["key"]));
      const severities = answer?.explanation.diagnostics.flatMap((one) =>
        one.labels.slice(0, 1).some((label) => docOf(answer.snapshot, label.origin) === doc) ? [one.severity] : [],
      );
      const worst = (["error", "warning"] as const).find((severity) => severities?.includes(severity));
      tab.dataset["worst"] = worst ?? "";
    }
  }

  #show(doc: Doc | undefined): void {
    const before = this.#shown;
    if (before && !this.#editor.hidden) {
      const revision = this.#states.get(before)?.revision ?? before.revision;
      this.#states.set(before, { state: this.view.state, revision, scrolled: this.view.scrollSnapshot() });
    }
    const isLarge = doc !== undefined && doc.text.length > EDITOR_LIMIT;
    this.#note.hidden = doc !== undefined && !isLarge;
    this.#editor.hidden = !this.#note.hidden;
    this.#note.textContent = "";
    if (!doc) {
      this.#note.append(element("p", {}, "No documents yet. Drop files onto the page, or add one with +."));
      delete this.#note.dataset["testid"];
    } else if (isLarge) {
      this.#note.dataset["testid"] = "large-file";
      this.#note.append(
        element("p", {}, `${doc.path} is too large to edit here (${size(doc.text.length)}). It is still rendered.`),
        ...(this.side === "manifests" ? [element("pre", {}, `${doc.text.slice(0, 600)}\n…`)] : []),
      );
    } else {
      const kept = this.#states.get(doc);
      if (doc !== before || kept?.revision !== doc.revision) {
        this.view.setState(kept?.revision === doc.revision ? kept.state : this.#fresh(doc));
        this.#states.set(doc, { state: this.view.state, revision: doc.revision });
        if (doc !== before) this.#scrollTo(kept?.scrolled);
      }
    }
    this.#shown = doc;
    if (doc) this.root.querySelector(".body")?.setAttribute("aria-labelledby", `tab-${doc.key}`);
    if (doc && !this.#editor.hidden && this.view.contentDOM.ariaLabel !== this.#label(doc)) {
      // After a rename, the syntax may differ. The undo history is kept.
      const extensions = this.#extensions(doc, lineBreakIn(this.view.state));
      this.view.dispatch({ effects: StateEffect.reconfigure.of(extensions) });
    }
    this.#decorate();
    this.#cover();
  }

  /** Restores the scroll position of a document, or scrolls to its beginning. */
  #scrollTo(scrolled: StateEffect<unknown> | undefined): void {
    if (scrolled) this.view.dispatch({ effects: scrolled });
    else this.view.scrollDOM.scrollTo(0, 0);
  }

  #fresh(doc: Doc): EditorState {
    // An example has no real secrets.
    this.#isBrought = !doc.isOfExample;
    return EditorState.create({ doc: doc.text, extensions: this.#extensions(doc, lineBreakOf(doc.text)) });
  }

  #label(doc: Doc): string {
    return `${this.side === "outputs" ? "Outputs document" : "Manifest"} ${doc.path}`;
  }

  #extensions(doc: Doc, lineBreak: LineBreak): Extension[] {
    return [
      baseExtensions(doc.path, lineBreak, this.#label(doc)),
      editingExtensions(),
      this.marks.extension,
      squiggleExtension(this.fix),
      this.extensions,
      // Manifests have references, not values.
      this.side === "outputs" ? this.covers.extension : [],
      EditorView.updateListener.of((update) => {
        if (update.docChanged) this.#typed(doc, update.state.sliceDoc());
      }),
      EditorView.domEventHandlers({ paste: (event) => this.#pasted(doc, event) }),
    ];
  }

  #typed(doc: Doc, text: string): void {
    this.#states.set(doc, { state: this.view.state, revision: doc.revision + 1 });
    this.workspace.edit(doc, text);
    if (text.length > EDITOR_LIMIT) this.#refresh();
  }

  /** Handles pasted text that is too long for an editor. */
  #pasted(doc: Doc, event: ClipboardEvent): boolean {
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    if (pasted.includes("\0")) {
      notice("file", "error", "The pasted content is not text and was ignored.");
      event.preventDefault();
      return true;
    }
    const { state } = this.view;
    const { from, to } = state.selection.main;
    if (!isBlank(pasted) && isBlank(state.sliceDoc(0, from) + state.sliceDoc(to))) {
      const before = doc.text;
      setTimeout(() => this.onpasted(doc, before));
    }
    if (state.doc.length + pasted.length <= EDITOR_LIMIT) return false;
    event.preventDefault();
    const lineBreak = lineBreakIn(state);
    const start = fromEditor(state.doc, lineBreak, from);
    const text = doc.text.slice(0, start) + pasted + doc.text.slice(fromEditor(state.doc, lineBreak, to));
    if (text.length > DOCUMENT_LIMIT) {
      notice("file", "error", `The pasted text is ${size(pasted.length)}; the page accepts up to ${size(DOCUMENT_LIMIT)} per document. Use the command line for larger files.`);
      return true;
    }
    this.workspace.edit(doc, text, "page");
    return true;
  }

  #decorate(): void {
    const [answer, rendered, doc] = [this.#answer, this.#rendered, this.#shown];
    if (!answer || !doc || this.#editor.hidden || !isCurrent(answer.snapshot, doc)) return;
    const { state } = this.view;
    const effects = [squiggles(answer, doc, state)];
    if (rendered && isCurrent(rendered.snapshot, doc)) effects.push(this.marks.setRanges(this.#ranges(rendered, doc)));
    this.view.dispatch({ effects: [...effects, this.marks.setLit(this.provenance.lit)] });
  }

  #ranges(answer: Answer, doc: Doc): MarkedRange[] {
    const { state } = this.view;
    const lineBreak = lineBreakIn(state);
    const ranges = new Map<number, MarkedRange & { nths: number[] }>();
    const values: MarkedRange[] = [];
    for (const [nth, one] of answer.substitutions.entries()) {
      const range = this.side === "manifests" ? one.source : one.definition;
      if (docsOf(answer.snapshot, one)[this.side] !== doc || !range) continue;
      const { start, end } = range;
      // An output with several references has one range.
      const existing = ranges.get(start.offset);
      if (existing) {
        existing.nths.push(nth);
        continue;
      }
      const nths = [nth];
      const at = (offset: number) => toEditor(state.doc, lineBreak, offset);
      ranges.set(start.offset, { from: at(start.offset), to: at(end.offset), nths });
      // Both the name and the value of an output are highlighted.
      const value = this.side === "outputs" && valueAfterName(doc.text, end.offset);
      if (value) values.push(...lineRanges(state.doc, at(value.from), at(value.to)).map((one) => ({ ...one, nths })));
    }
    return [...ranges.values(), ...values];
  }

  async #add(): Promise<void> {
    const details = await documentDetails(this.workspace, this.side);
    if (!details) return;
    const isBinding = this.side === "manifests" && BINDING_NAME.test(details.path);
    const content = isBinding ? (await import("../take_away")).projectOf(this.workspace).binding.content : EMPTY[this.side];
    this.workspace.put(this.side, { ...details, content });
    // What is pasted replaces it.
    this.view.dispatch({ selection: { anchor: 0, head: this.view.state.doc.length } });
    this.view.focus();
  }

  async #rename(): Promise<void> {
    const doc = this.workspace.open[this.side];
    const details = doc && (await documentDetails(this.workspace, this.side, doc));
    if (!doc || !details) return;
    this.workspace.setDetails(doc, details);
  }

  #delete(): void {
    const doc = this.workspace.open[this.side];
    if (!doc) return;
    const { path, name } = doc;
    const at = this.workspace.remove(doc);
    this.focus();
    const key = `deleted-${doc.key}`;
    // Deletes without confirmation, because one click undoes it.
    notice(key, "info", `${path} was deleted.`, {
      label: "Undo",
      testid: "undo-delete",
      run: () => {
        this.workspace.restore(doc, at);
        this.focus();
        const as = doc.path === path ? "" : ` as ${doc.path}`;
        notice(key, "info", `${path} was restored${as}${doc.name === name ? "" : `, bound as ${doc.name}`}.`);
      },
    });
  }
}
