/**
 * Shows one substitution in three lines: output, manifest, result. On a phone, where only
 * one pane is visible, this shows what landfall does.
 */
import type { Range, Substitution } from "landfall";
import { docsOf, isCurrent, type Answer } from "../answer";
import { byId, element } from "../dom";
import type { Provenance } from "../provenance";
import { valueAfterName } from "../json";

const line = (text: string, { start, end }: Range): [string, string, string] => {
  const from = Math.max(0, text.lastIndexOf("\n", start.offset - 1) + 1);
  const until = text.indexOf("\n", start.offset);
  const lineEnd = until < 0 ? text.length : until;
  const to = Math.min(end.offset, lineEnd);
  return [text.slice(from, start.offset).trimStart(), text.slice(start.offset, to), text.slice(to, lineEnd).trimEnd()];
};

const drawn = (name: string, [before, lit, after]: [string, string, string]) => [
  // A long key would leave no space for the value.
  element("span", {}, before.length > 20 ? `…${before.slice(-19)}` : before),
  element("mark", { class: `${name} lit` }, lit),
  element("span", {}, after),
];

/** Returns whether a sensitive value is on the same line of the result as this one. */
const isOnLineOfSecret = (answer: Answer, { file, result }: Substitution): boolean =>
  answer.substitutions.some(
    (other) =>
      other.sensitive &&
      other.file === file &&
      other.result.start.line <= result.end.line &&
      other.result.end.line >= result.start.line,
  );

const hidden = (one: Substitution): [string, string, string] => ["", one.sensitive ? "(sensitive)" : one.value, ""];

export function trace(provenance: Provenance): void {
  const draw = () => {
    const { answer, lit } = provenance;
    const one = answer?.substitutions[lit[0] ?? -1];
    const file = one && answer?.explanation.files?.[one.file];
    // Without a value it keeps its place, so that nothing moves when there is one.
    byId("trace").classList.toggle("empty", !file);
    if (!one || !file || !answer) return ["output", "source", "result"].forEach((part) => byId(`trace-${part}`).replaceChildren("–"));
    const { manifests: manifest, outputs } = docsOf(answer.snapshot, one);
    if (!manifest) return;
    // The positions are only valid for the texts of the answer.
    if ([manifest, outputs].some((doc) => doc && !isCurrent(answer.snapshot, doc))) return;
    const source = manifest.text;
    const value = outputs && one.definition && valueAfterName(outputs.text, one.definition.end.offset);
    const shown = value && !one.sensitive ? outputs.text.slice(value.from, value.to).replace(/\s+/g, " ") : "(sensitive)";
    byId("trace-output").replaceChildren(
      ...(value
        ? [element("span", {}, `${one.output}: `), element("mark", { class: "defined lit" }, shown)]
        : [element("span", {}, `${one.output}: (default)`)]),
    );
    byId("trace-source").replaceChildren(...drawn("reference", line(source, one.source)));
    const result = isOnLineOfSecret(answer, one) ? hidden(one) : line(file.content, one.result);
    // A list begins on the line after its key.
    if (!result[1].trim()) result[1] = file.content.slice(one.result.start.offset, one.result.end.offset).trim().replace(/\s+/g, " ");
    byId("trace-result").replaceChildren(...drawn("value", result));
  };
  provenance.listen(draw);
}
