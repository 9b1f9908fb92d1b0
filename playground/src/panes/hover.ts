/** What a reference becomes, told where it is pointed at. */
import type { Extension } from "@codemirror/state";
import { hoverTooltip } from "@codemirror/view";
import type { Substitution } from "landfall";
import { element } from "../dom";
import type { Provenance } from "../provenance";
import type { Marks } from "./marks";

/** Enough of a value to know it by. */
const LONGEST = 300;

function told(one: Substitution, place: string): HTMLElement {
  const value = one.sensitive ? "(sensitive)" : one.value;
  return element(
    "div",
    { class: "told" },
    element("div", {}, element("strong", {}, one.output), ` ${one.type}`),
    element("code", {}, value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value),
    element("div", { class: "from" }, place),
  );
}

export function hover(provenance: Provenance, marks: () => Marks): Extension {
  return hoverTooltip(
    (view, position) => {
      const { answer } = provenance;
      const nth = marks().at(view.state, position)[0];
      const one = nth === undefined ? undefined : answer?.substitutions[nth];
      if (!one || !answer) return null;
      const outputs = one.document === undefined ? undefined : answer.asked.outputs[one.document];
      const place = outputs && one.definition ? `from ${outputs.path}:${one.definition.start.line}` : "from the default";
      return { pos: position, above: true, create: () => ({ dom: told(one, place) }) };
    },
    { hideOnChange: true },
  );
}
