import { describe, expect, it } from "vitest";
import { members, valueAfterName } from "../src/json";

describe("the value of an output", () => {
  const after = (text: string, name: string) => {
    const value = valueAfterName(text, text.indexOf(name) + name.length);
    return value && text.slice(value.from, value.to);
  };

  it.each([
    ['{"a": {"sensitive": false, "value": "x"}}', '"x"'],
    ['{"a": {"type": ["object", {"value": "string"}], "value": {"value": [1, {}]}}, "b": 1}', '{"value": [1, {}]}'],
    ['{"a" :\n1.50\n}', "1.50"],
    ['{"a": "}\\"]{", "b": 1}', '"}\\"]{"'],
    ['\uFEFF {"a":{"b":{}}}', '{"b":{}}'],
    ['{"a": null}', "null"],
    ['{"a": []}', "[]"],
  ])("is found: %s", (text, value) => {
    expect(after(text, '"a"')).toBe(value);
    // The range of a name may end before its closing quote.
    expect(after(text, '"a')).toBe(value);
  });

  it.each(["{", '{"a"', '{"a":', '{"a", "b": 1}', 'a: b\n"a": 1\n', '"a"'])("is not found in %s", (text) => {
    expect(after(text, '"a"')).toBe(undefined);
  });
});

describe("members", () => {
  const list = (text: string) =>
    [...members(text, text.indexOf("{"))].map(({ key, value }) => [text.slice(key.from, key.to), text.slice(value.from, value.to)]);

  it("are those of one object", () => {
    expect(list(' {"a": 1.50, "b:": {"c": [2]},"d" : "x,}" } ')).toEqual([
      ['"a"', "1.50"],
      ['"b:"', '{"c": [2]}'],
      ['"d"', '"x,}"'],
    ]);
  });

  it("of an empty or invalid object are none", () => {
    for (const text of ["{}", "{ }", "{", '{"a"', '{"a":', '{"a" 1}']) expect(list(text)).toEqual([]);
  });
});
