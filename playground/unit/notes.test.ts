/** What tooltips say about what was added to a value. */
import { expect, test } from "vitest";
import { notesOn } from "../src/panes/notes";

const string = { type: "string", sensitive: false, dollarsDoubled: false };

test("says nothing about a value that is in the result as it is", () => {
  expect(notesOn({ ...string, value: "vpc-0ab1" }, "vpc-0ab1")).toEqual([]);
});

test.each([
  ["0123", "a number"],
  ["true", "a bool"],
  ["", "null"],
])("says that %j is quoted, because YAML would read %s", (value, other) => {
  const why = [`Quoted, so that it stays a string: without quotes YAML reads ${other}.`];
  expect(notesOn({ ...string, value }, `"${value}"`)).toEqual(why);
  expect(notesOn({ ...string, value }, `'${value}'`)).toEqual(why);
});

test("says that a string is quoted for another reason, without inventing one", () => {
  expect(notesOn({ ...string, value: "a: b" }, '"a: b"')).toEqual(["Quoted, so that it stays one string in YAML."]);
});

test("says that a number is quoted", () => {
  expect(notesOn({ ...string, type: "number", value: "3" }, '"3"')).toEqual(["Quoted, so that it is a string here."]);
});

test("says what is escaped between the quotes of the manifest", () => {
  expect(notesOn({ ...string, value: "it's" }, "it''s")[0]).toContain("single quotes");
  expect(notesOn({ ...string, value: 'a "b"' }, 'a \\"b\\"')[0]).toContain("double quotes");
});

test("says that dollar signs are doubled", () => {
  const notes = notesOn({ ...string, dollarsDoubled: true, value: "a$b" }, "a$$b");
  expect(notes).toEqual(["In this field each `$` of a value is doubled, because it is expanded later."]);
});

test("says nothing about the text of a sensitive value", () => {
  expect(notesOn({ ...string, sensitive: true, value: "(sensitive)" }, '"0123"')).toEqual([]);
});

test("says nothing about a list or about text that it cannot explain", () => {
  expect(notesOn({ ...string, type: "list", value: '["a"]' }, "- a")).toEqual([]);
  expect(notesOn({ ...string, value: "a\nb" }, "a\n  b")).toEqual([]);
});
