/** Places in an editor that belong to substitutions, and which of them are lit. */
import { StateEffect, StateField, type EditorState, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";
import type { Lit } from "../provenance";

/** A stretch of the editor and the substitutions that it belongs to. */
export interface Place {
  from: number;
  to: number;
  nths: Lit;
}

/** A value line by line, without the blanks that indent it. */
export function stretches(doc: Text, from: number, to: number): { from: number; to: number }[] {
  const found = [];
  for (let at = from; at <= to; ) {
    const line = doc.lineAt(at);
    const text = line.text.slice(at - line.from, to - line.from);
    const start = at + (text.length - text.trimStart().length);
    const end = at + text.trimEnd().length;
    if (start < end) found.push({ from: start, to: end });
    at = line.to + 1;
  }
  // A value of blanks alone is one, too.
  return found.length > 0 ? found : [{ from, to }];
}

const setPlaces = StateEffect.define<Place[]>();
const setLit = StateEffect.define<Lit>();

interface Marked {
  places: DecorationSet;
  shown: DecorationSet;
  lit: Lit;
}

function draw(places: DecorationSet, lit: Lit, name: string): DecorationSet {
  const isLit = new Set(lit);
  const ranges = [];
  for (const cursor = places.iter(); cursor.value; cursor.next()) {
    const nths = cursor.value.spec["nths"] as Lit;
    const shines = nths.some((nth) => isLit.has(nth));
    // `lit` marks what is pointed at, for people's eyes and for tests.
    const decoration = Decoration.mark({ class: shines ? `${name} lit` : name, inclusive: false });
    ranges.push(decoration.range(cursor.from, cursor.to));
  }
  return Decoration.set(ranges);
}

const field = (name: string) =>
  StateField.define<Marked>({
    create: () => ({ places: Decoration.none, shown: Decoration.none, lit: [] }),
    update(before, transaction) {
      let { places, lit } = before;
      if (transaction.docChanged) {
        places = places.map(transaction.changes);
        // What was changed inside is what it was no more.
        transaction.changes.iterChangedRanges((_, __, start, end) => {
          const filter = (from: number, to: number) => to <= start || from >= end;
          places = places.update({ filter, filterFrom: start, filterTo: end });
        });
      }
      for (const effect of transaction.effects) {
        if (effect.is(setPlaces)) {
          const length = transaction.newDoc.length;
          places = Decoration.set(
            effect.value
              .filter((place) => place.from < place.to && place.to <= length)
              .map(({ from, to, nths }) => Decoration.mark({ nths }).range(from, to)),
            true,
          );
        }
        if (effect.is(setLit)) lit = effect.value;
      }
      if (places === before.places && lit === before.lit) return before;
      return { places, lit, shown: draw(places, lit, name) };
    },
    provide: (self) => EditorView.decorations.from(self, (marked) => marked.shown),
  });

/** One kind of mark: its extension and what can be asked and told. */
export class Marks {
  #field;
  readonly extension: Extension;

  /** `name` is the class of the marks. */
  constructor(name: string, onpoint: (nths: Lit) => void) {
    this.#field = field(name);
    this.extension = [
      this.#field,
      EditorView.domEventHandlers({
        mousemove: (event, view) => {
          const at = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
          const nths = this.at(view.state, at);
          // The nearest position of blank space beside a line belongs to nobody.
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

  at(state: EditorState, position: number): Lit {
    let found: Lit = [];
    state.field(this.#field, false)?.places.between(position, position, (_, __, value) => {
      found = value.spec["nths"] as Lit;
      return false;
    });
    return found;
  }

  /** The first place of each lit substitution. */
  litPlaces(state: EditorState): Map<number, { from: number; to: number }> {
    const found = new Map<number, { from: number; to: number }>();
    const marked = state.field(this.#field, false);
    if (!marked) return found;
    const wanted = new Set(marked.lit);
    for (const cursor = marked.places.iter(); cursor.value; cursor.next()) {
      for (const nth of cursor.value.spec["nths"] as Lit) {
        if (wanted.has(nth) && !found.has(nth)) found.set(nth, { from: cursor.from, to: cursor.to });
      }
    }
    return found;
  }

  places(places: Place[]): StateEffect<unknown> {
    return setPlaces.of(places);
  }

  lit(lit: Lit): StateEffect<unknown> {
    return setLit.of(lit);
  }
}
