/** Covers the values of sensitive outputs in the editors until the user has them shown. */
import { Annotation, StateEffect, StateField, type EditorState, type Extension, type Range, type Transaction } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";
import { COVER } from "../answer";
import { element } from "../dom";

interface State {
  /** The sensitive values, and what may be one. */
  ranges: DecorationSet;
  /** Those that are covered now. */
  covered: DecorationSet;
  /** Whether the last change was typed. */
  isTyping: boolean;
}

const setRanges = StateEffect.define<readonly { from: number; to: number }[]>();
const refresh = StateEffect.define();
const isUnknown = Annotation.define<true>();

class Cover extends WidgetType {
  override eq(): boolean {
    return true;
  }

  override ignoreEvent(): boolean {
    return false;
  }

  toDOM(): HTMLElement {
    return element("span", { class: "cover", title: "The value of a sensitive output, or what may be one: click to show all" }, COVER);
  }
}

const cover = Decoration.replace({ widget: new Cover() });

/** Returns the ranges of text that came into a document without being typed. */
function brought(transaction: Transaction): Range<Decoration>[] {
  const isBrought = ["input.paste", "input.drop", "input.fix", "move", "undo", "redo"].some((event) => transaction.isUserEvent(event));
  if (!isBrought && !transaction.annotation(isUnknown)) return [];
  const found: Range<Decoration>[] = [];
  transaction.changes.iterChanges((_, __, from, to) => {
    if (from < to) found.push(cover.range(from, to));
  });
  return found;
}

export class Covers {
  /** Whether the values are shown. */
  isShown = false;
  readonly extension: Extension;
  #field: StateField<State>;
  #listeners: (() => void)[] = [];

  constructor() {
    this.#field = StateField.define<State>({
      create: () => ({ ranges: Decoration.none, covered: Decoration.none, isTyping: false }),
      update: (before, transaction) => {
        const { changes, docChanged, selection, effects, newDoc, newSelection } = transaction;
        if (!docChanged && !selection && effects.length === 0) return before;
        let ranges = before.ranges.map(changes);
        const added = docChanged ? brought(transaction) : [];
        if (added.length > 0) ranges = ranges.update({ add: added, sort: true });
        for (const effect of effects) {
          if (!effect.is(setRanges)) continue;
          // Two quotes have nothing to cover.
          const isWorth = ({ from, to }: { from: number; to: number }) =>
            from < to && to <= newDoc.length && !/^(""|'')$/.test(newDoc.sliceString(from, Math.min(to, from + 3)));
          ranges = Decoration.set(effect.value.filter(isWorth).map(({ from, to }) => cover.range(from, to)), true);
        }
        const isTyping = docChanged ? transaction.isUserEvent("input.type") || transaction.isUserEvent("delete") : before.isTyping && !selection;
        const { head } = newSelection.main;
        // A value is not covered while it is being typed.
        const filter = (from: number, to: number) => from < to && !(isTyping && from < head && head < to);
        return { ranges, isTyping, covered: this.isShown ? Decoration.none : ranges.update({ filter }) };
      },
      provide: (self) => [
        EditorView.decorations.from(self, ({ covered }) => covered),
        EditorView.atomicRanges.of((view) => view.state.field(self).covered),
      ],
    });
    this.extension = [
      this.#field,
      EditorView.domEventHandlers({
        mousedown: (event) => {
          if (!(event.target as Element).closest(".cover")) return false;
          event.preventDefault();
          this.show(true);
          return true;
        },
      }),
    ];
  }

  /** Calls a listener when the values are shown or covered. */
  listen(listener: () => void): void {
    this.#listeners.push(listener);
  }

  show(isShown: boolean): void {
    this.isShown = isShown;
    for (const listener of this.#listeners) listener();
  }

  /** Returns the effect that sets where the sensitive values of an editor are. */
  set(ranges: readonly { from: number; to: number }[]): StateEffect<unknown> {
    return setRanges.of(ranges);
  }

  /** Returns the effect that applies `isShown` to an editor. */
  refresh(): StateEffect<unknown> {
    return refresh.of(null);
  }

  /** Marks a change whose text may be a sensitive value. */
  unknown(): Annotation<true> {
    return isUnknown.of(true);
  }

  hasAny(state: EditorState): boolean {
    return (state.field(this.#field, false)?.ranges.size ?? 0) > 0;
  }
}
