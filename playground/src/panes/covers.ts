/** Covers the values of sensitive outputs in the editors until the user has them shown. */
import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";
import { element } from "../dom";

interface State {
  /** The sensitive values. */
  ranges: DecorationSet;
  /** Those that are covered now. */
  covered: DecorationSet;
}

const setRanges = StateEffect.define<readonly { from: number; to: number }[]>();
const refresh = StateEffect.define();

class Cover extends WidgetType {
  override eq(): boolean {
    return true;
  }

  override ignoreEvent(): boolean {
    return false;
  }

  toDOM(): HTMLElement {
    return element("span", { class: "cover", title: "The value of a sensitive output" }, "••••••••");
  }
}

const cover = Decoration.replace({ widget: new Cover() });

export class Covers {
  /** Whether the values are shown. */
  isShown = false;
  readonly extension: Extension;
  #field: StateField<State>;
  #listeners: (() => void)[] = [];

  constructor() {
    this.#field = StateField.define<State>({
      create: () => ({ ranges: Decoration.none, covered: Decoration.none }),
      update: (before, { changes, docChanged, selection, effects, newDoc, newSelection }) => {
        if (!docChanged && !selection && effects.length === 0) return before;
        let ranges = before.ranges.map(changes);
        for (const effect of effects) {
          if (!effect.is(setRanges)) continue;
          // Two quotes have nothing to cover.
          const found = effect.value.filter(({ from, to }) => from + 2 < to && to <= newDoc.length);
          ranges = Decoration.set(found.map(({ from, to }) => cover.range(from, to)), true);
        }
        const { head } = newSelection.main;
        // A value is not covered while it is being typed.
        const filter = (from: number, to: number) => from < to && !(from < head && head < to);
        return { ranges, covered: this.isShown ? Decoration.none : ranges.update({ filter }) };
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

  hasAny(state: EditorState): boolean {
    return (state.field(this.#field, false)?.ranges.size ?? 0) > 0;
  }
}
