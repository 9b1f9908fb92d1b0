/** Why the text of a value in the result differs from the value. */
import type { Substitution } from "landfall";

/** What YAML reads in text without quotes. */
const plain = (text: string): string | undefined => {
  if (/^(true|false)$/i.test(text)) return "a bool";
  if (/^(null|~|)$/i.test(text)) return "null";
  return /^[-+]?\d/.test(text) && Number.isFinite(Number(text)) ? "a number" : undefined;
};

/** Returns the text of a quoted scalar on one line, or nothing if it is not one. */
function unquoted(text: string): string | undefined {
  if (/^'(?:[^']|'')*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  if (!text.startsWith('"')) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "string" ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns a sentence for each thing that was added to a value: quotes, escapes and dollar
 * signs. Nothing about the text of a sensitive value, and nothing where another explanation
 * is possible.
 */
export function notesOn({ value, type, sensitive, dollarsDoubled }: Pick<Substitution, "value" | "type" | "sensitive" | "dollarsDoubled">, result: string): string[] {
  const notes = dollarsDoubled ? ["In this field each `$` of a value is doubled, because it is expanded later."] : [];
  const expected = dollarsDoubled ? value.replaceAll("$", "$$$$") : value;
  if (sensitive || result === expected) return notes;
  if (unquoted(result) === expected) {
    const otherwise = plain(expected);
    if (type !== "string") return [...notes, "Quoted, so that it is a string here."];
    return [...notes, otherwise ? `Quoted, so that it stays a string: without quotes YAML reads ${otherwise}.` : "Quoted, so that it stays one string in YAML."];
  }
  if (unquoted(`'${result}'`) === expected) return [...notes, "Each `'` is doubled, because the value is between single quotes."];
  if (unquoted(`"${result}"`) === expected) return [...notes, "Escaped with `\\`, because the value is between double quotes."];
  return notes;
}
