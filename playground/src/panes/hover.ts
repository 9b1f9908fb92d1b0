/** The tooltip of a reference: the type, value and origin of its output. */
import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import type { Substitution } from "landfall";
import { element } from "../dom";
import type { Provenance } from "../provenance";
import type { Marks } from "./marks";

/** How many characters of a value the tooltip shows. */
const MAX_VALUE_LENGTH = 300;

function tooltip(one: Substitution, origin: string): HTMLElement {
  const value = one.sensitive ? "(sensitive)" : one.value;
  return element(
    "div",
    { class: "value-tooltip" },
    element("div", {}, element("strong", {}, one.output), ` ${one.type}`),
    element("code", {}, value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value),
    element("div", { class: "from" }, origin),
  );
}

export function hover(provenance: Provenance, marks: () => Marks): Extension {
  return hoverTooltip(
    (view, position) => {
      const { answer } = provenance;
      const nth = marks().at(view.state, position)[0];
      const one = nth === undefined ? undefined : answer?.substitutions[nth];
      if (!one || !answer) return null;
      const outputs = one.document === undefined ? undefined : answer.snapshot.outputs[one.document];
      const origin = outputs && one.definition ? `from ${outputs.path}:${one.definition.start.line}` : "default value";
      return { pos: position, above: true, create: () => ({ dom: tooltip(one, origin) }) };
    },
    { hideOnChange: true },
  );
}
