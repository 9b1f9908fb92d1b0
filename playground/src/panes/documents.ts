/** A pane with documents: tabs, their tools, and one editor that shows the open one. */
import { EditorState, StateEffect, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Answer } from "../answer";
import { docOf, docsOf, isCurrent } from "../answer";
import { element, roving, size } from "../dom";
import { valueBehind } from "../json";
import { notice } from "../notices";
import { fromEditor, lineBreakOf, toEditor, type LineBreak } from "../positions";
import type { Lit, Provenance } from "../provenance";
import { DOCUMENT_LIMIT, EDITOR_LIMIT, isBinding, type Doc, type Side, type Workspace } from "../state";
import { describe } from "./document_form";
import { centre, common, lineBreakIn, reveal, writing } from "./editor";
import { Marks, stretches, type Place } from "./marks";
import { squiggles, squiggling, type ApplyFix } from "./squiggles";

const EMPTY = {
  manifests: "# Your manifest: write ${infra.name} where a value belongs.\n",
  outputs: '{\n  "name": {"value": "text"}\n}\n',
};

export class DocumentsPane {
  readonly view: EditorView;
  readonly marks: Marks;
  #answer: Answer | undefined;
  /** The last answer that rendered: while something is wrong, its places stay. */
  #rendered: Answer | undefined;
  #shown: Doc | undefined;
  /** The state of an editor, with its history, for documents that are not open, or may come back. */
  #states = new WeakMap<Doc, { state: EditorState; revision: number; scrolled?: StateEffect<unknown> }>();
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
      this.view.dispatch({ effects: this.marks.lit(lit) });
      const place = by === "open" ? this.litPlaces().get(lit[0] ?? -1) : undefined;
      if (place) centre(this.view, place.from);
      if (by !== side && by !== "page" && by !== "open") this.#follow(lit, by === "row");
    });
  }

  /** Brings a stretch of a document into sight and puts the cursor there. */
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

  /** Changes stretches of a document, so that it can be undone where it is open. */
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

  /** The open document, and the offset in its text of a position in the editor. */
  offset(position: number): { doc: Doc; offset: number } | undefined {
    const { state } = this.view;
    return this.#shown && { doc: this.#shown, offset: fromEditor(state.doc, lineBreakIn(state), position) };
  }

  renew(answer: Answer | undefined): void {
    this.#answer = answer;
    if (!answer || answer.explanation.files) this.#rendered = answer;
    this.#decorate();
    this.#badge();
  }

  /** The place of each lit substitution that stands in the open document. */
  litPlaces(): Map<number, { from: number; to: number }> {
    return this.#editor.hidden ? new Map() : this.marks.litPlaces(this.view.state);
  }

  #follow(lit: Lit, mayOpen: boolean): void {
    const substitution = this.#rendered?.substitutions[lit[0] ?? -1];
    if (!substitution || !this.#rendered) return;
    const doc = docsOf(this.#rendered.asked, substitution)[this.side];
    // Keystrokes must not go into another document than the one they began in.
    const isTyping = this.view.hasFocus;
    if (doc && !isTyping && (mayOpen || this.side === "outputs")) this.workspace.show(doc);
    const place = this.litPlaces().get(lit[0] ?? -1);
    if (place && this.root.offsetParent) reveal(this.view, place.from);
  }

  #refresh(): void {
    this.#drawTabs();
    this.#show(this.workspace.open[this.side]);
  }

  /** Puts the focus on the open document's tab, or where a document comes from. */
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
      tab.setAttribute("aria-label", this.side === "outputs" ? `${doc.path}, bound as ${doc.name}` : doc.path);
      if (this.side === "outputs") tab.append(element("span", { class: "bound" }, doc.name));
      if (isBinding(doc)) tab.append(element("span", { class: "bound" }, "Binding"));
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

  /** All paths in a menu, for tabs that have no room beside each other. */
  #drawList(open: Doc | undefined): void {
    const docs = this.workspace.of(this.side);
    const menu = this.root.querySelector<HTMLSelectElement>(".all-files select")!;
    menu.parentElement!.hidden = docs.length < 3;
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
        one.labels.slice(0, 1).some((label) => docOf(answer.asked, label.origin) === doc) ? [one.severity] : [],
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
      this.#note.append(element("p", {}, "Nothing here yet. Drop files into the page, or add one with +."));
      delete this.#note.dataset["testid"];
    } else if (isLarge) {
      this.#note.dataset["testid"] = "large-file";
      this.#note.append(
        element("p", {}, `${doc.path} has ${size(doc.text.length)}. That is too much to edit here.`),
        element("pre", {}, `${doc.text.slice(0, 600)}\n…`),
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
      // It was renamed: that can mean other colours, too. What was typed can still be undone.
      const extensions = this.#extensions(doc, lineBreakIn(this.view.state));
      this.view.dispatch({ effects: StateEffect.reconfigure.of(extensions) });
    }
    this.#decorate();
  }

  /** To where one left a document, or to the beginning. */
  #scrollTo(scrolled: StateEffect<unknown> | undefined): void {
    if (scrolled) this.view.dispatch({ effects: scrolled });
    else this.view.scrollDOM.scrollTo(0, 0);
  }

  #fresh(doc: Doc): EditorState {
    return EditorState.create({ doc: doc.text, extensions: this.#extensions(doc, lineBreakOf(doc.text)) });
  }

  #label(doc: Doc): string {
    return `${this.side === "outputs" ? "Outputs document" : "Manifest"} ${doc.path}`;
  }

  #extensions(doc: Doc, lineBreak: LineBreak): Extension[] {
    return [
      common(doc.path, lineBreak, this.#label(doc)),
      writing(),
      this.marks.extension,
      squiggling(this.fix),
      this.extensions,
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

  /** Text that no editor takes goes past it. */
  #pasted(doc: Doc, event: ClipboardEvent): boolean {
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    if (pasted.includes("\0")) {
      notice("file", "wrong", "What you pasted is not text, so it was left out.");
      event.preventDefault();
      return true;
    }
    const { state } = this.view;
    if (state.doc.length + pasted.length <= EDITOR_LIMIT) return false;
    event.preventDefault();
    const { from, to } = state.selection.main;
    const lineBreak = lineBreakIn(state);
    const start = fromEditor(state.doc, lineBreak, from);
    const text = doc.text.slice(0, start) + pasted + doc.text.slice(fromEditor(state.doc, lineBreak, to));
    if (text.length > DOCUMENT_LIMIT) {
      notice("file", "wrong", `What you pasted has ${size(pasted.length)}; a document may have ${size(DOCUMENT_LIMIT)} here. The command line takes more.`);
      return true;
    }
    this.workspace.edit(doc, text, "page");
    return true;
  }

  #decorate(): void {
    const [answer, rendered, doc] = [this.#answer, this.#rendered, this.#shown];
    if (!answer || !doc || this.#editor.hidden || !isCurrent(answer.asked, doc)) return;
    const { state } = this.view;
    const effects = [squiggles(answer, doc, state)];
    if (rendered && isCurrent(rendered.asked, doc)) effects.push(this.marks.places(this.#places(rendered, doc)));
    this.view.dispatch({ effects: [...effects, this.marks.lit(this.provenance.lit)] });
  }

  #places(answer: Answer, doc: Doc): Place[] {
    const { state } = this.view;
    const lineBreak = lineBreakIn(state);
    const places = new Map<number, Place & { nths: number[] }>();
    const values: Place[] = [];
    for (const [nth, one] of answer.substitutions.entries()) {
      const range = this.side === "manifests" ? one.source : one.definition;
      if (docsOf(answer.asked, one)[this.side] !== doc || !range) continue;
      const { start, end } = range;
      // An output that many references use is one place.
      const there = places.get(start.offset);
      if (there) {
        there.nths.push(nth);
        continue;
      }
      const nths = [nth];
      const at = (offset: number) => toEditor(state.doc, lineBreak, offset);
      places.set(start.offset, { from: at(start.offset), to: at(end.offset), nths });
      // An output is its name and its value.
      const value = this.side === "outputs" && valueBehind(doc.text, end.offset);
      if (value) values.push(...stretches(state.doc, at(value.from), at(value.to)).map((one) => ({ ...one, nths })));
    }
    return [...places.values(), ...values];
  }

  async #add(): Promise<void> {
    const described = await describe(this.workspace, this.side);
    if (!described) return;
    this.workspace.put(this.side, { ...described, content: EMPTY[this.side] });
    this.view.focus();
  }

  async #rename(): Promise<void> {
    const doc = this.workspace.open[this.side];
    const described = doc && (await describe(this.workspace, this.side, doc));
    if (!doc || !described) return;
    this.workspace.describe(doc, described);
  }

  #delete(): void {
    const doc = this.workspace.open[this.side];
    if (!doc) return;
    const { path, name } = doc;
    const at = this.workspace.remove(doc);
    this.focus();
    const key = `deleted-${doc.key}`;
    // Undone by one press, so that nobody has to be asked first.
    notice(key, "told", `${path} was deleted.`, {
      label: "Undo",
      testid: "undo-delete",
      run: () => {
        this.workspace.restore(doc, at);
        this.focus();
        const as = doc.path === path ? "" : ` as ${doc.path}`;
        notice(key, "told", `${path} is back${as}${doc.name === name ? "" : `, bound as ${doc.name}`}.`);
      },
    });
  }
}
