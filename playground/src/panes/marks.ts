/** Marks the ranges in an editor that belong to substitutions, and highlights some of them. */
import { StateEffect, StateField, type EditorState, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import type { Lit } from "../provenance";

/** A range in an editor and the substitutions that it belongs to. */
export interface MarkedRange {
  from: number;
  to: number;
  nths: Lit;
}

/** Returns the ranges of a value on each of its lines, without indentation. */
export function lineRanges(doc: Text, from: number, to: number): { from: number; to: number }[] {
  const found = [];
  for (let at = from; at <= to; ) {
    const line = doc.lineAt(at);
    const text = line.text.slice(at - line.from, to - line.from);
    const start = at + (text.length - text.trimStart().length);
    const end = at + text.trimEnd().length;
    if (start < end) found.push({ from: start, to: end });
    at = line.to + 1;
  }
  // A blank value is marked as a whole.
  return found.length > 0 ? found : [{ from, to }];
}

const setRanges = StateEffect.define<MarkedRange[]>();
const setLit = StateEffect.define<Lit>();

interface State {
  /** The ranges, with the substitutions that they belong to. */
  ranges: DecorationSet;
  /** The visible marks. */
  marks: DecorationSet;
  lit: Lit;
}

function draw(ranges: DecorationSet, lit: Lit, name: string): DecorationSet {
  const wanted = new Set(lit);
  const marks = [];
  for (const cursor = ranges.iter(); cursor.value; cursor.next()) {
    const nths = cursor.value.spec["nths"] as Lit;
    const isLit = nths.some((nth) => wanted.has(nth));
    // The class `lit` is for the style sheet and for tests.
    const decoration = Decoration.mark({ class: isLit ? `${name} lit` : name, inclusive: false });
    marks.push(decoration.range(cursor.from, cursor.to));
  }
  return Decoration.set(marks);
}

const field = (name: string) =>
  StateField.define<State>({
    create: () => ({ ranges: Decoration.none, marks: Decoration.none, lit: [] }),
    update(before, transaction) {
      let { ranges, lit } = before;
      if (transaction.docChanged) {
        ranges = ranges.map(transaction.changes);
        // A range whose text was changed no longer matches its substitution.
        transaction.changes.iterChangedRanges((_, __, start, end) => {
          const filter = (from: number, to: number) => to <= start || from >= end;
          ranges = ranges.update({ filter, filterFrom: start, filterTo: end });
        });
      }
      for (const effect of transaction.effects) {
        if (effect.is(setRanges)) {
          const length = transaction.newDoc.length;
          ranges = Decoration.set(
            effect.value
              .filter(({ from, to }) => from < to && to <= length)
              .map(({ from, to, nths }) => Decoration.mark({ nths }).range(from, to)),
            true,
          );
        }
        if (effect.is(setLit)) lit = effect.value;
      }
      if (ranges === before.ranges && lit === before.lit) return before;
      return { ranges, lit, marks: draw(ranges, lit, name) };
    },
    provide: (self) => EditorView.decorations.from(self, ({ marks }) => marks),
  });

/** One kind of mark in an editor. */
export class Marks {
  #field;
  readonly extension: Extension;

  /** `name` is the CSS class of the marks; `onpoint` is called when the mouse or the cursor is on one. */
  constructor(name: string, onpoint: (nths: Lit) => void) {
    this.#field = field(name);
    this.extension = [
      this.#field,
      EditorView.domEventHandlers({
        mousemove: (event, view) => {
          const at = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
          const nths = this.at(view.state, at);
          // Beside the text of a line, `posAtCoords` returns the nearest position.
          if (nths.length > 0 && (event.target as Element).closest(`.${name}`)) onpoint(nths);
        },
      }),
      EditorView.updateListener.of((update) => {
        if (!update.selectionSet || !update.view.hasFocus) return;
        const nths = this.at(update.state, update.state.selection.main.head);
        if (nths.length > 0) onpoint(nths);
      }),
    ];
  }

  /** Returns the substitutions at a position. */
  at(state: EditorState, position: number): Lit {
    let found: Lit = [];
    state.field(this.#field, false)?.ranges.between(position, position, (_, __, value) => {
      found = value.spec["nths"] as Lit;
      return false;
    });
    return found;
  }

  /** Returns the first range of each highlighted substitution. */
  litRanges(state: EditorState): Map<number, { from: number; to: number }> {
    const found = new Map<number, { from: number; to: number }>();
    const marks = state.field(this.#field, false);
    if (!marks) return found;
    const wanted = new Set(marks.lit);
    for (const cursor = marks.ranges.iter(); cursor.value; cursor.next()) {
      for (const nth of cursor.value.spec["nths"] as Lit) {
        if (wanted.has(nth) && !found.has(nth)) found.set(nth, { from: cursor.from, to: cursor.to });
      }
    }
    return found;
  }

  setRanges(ranges: MarkedRange[]): StateEffect<unknown> {
    return setRanges.of(ranges);
  }

  setLit(lit: Lit): StateEffect<unknown> {
    return setLit.of(lit);
  }
}
