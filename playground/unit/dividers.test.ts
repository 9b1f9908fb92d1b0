import { expect, test } from "vitest";
import { parsedSizes } from "../src/panes/dividers";

test("reads stored sizes", () => {
  expect(parsedSizes("[20,50,40]")).toEqual([20, 50, 40]);
  expect(parsedSizes("[20,50,null]")).toEqual([20, 50, undefined]);
});

test("ignores sizes that are broken, or that leave no space for a pane", () => {
  const original = parsedSizes(null);
  for (const text of ["", "{", "null", "7", "{}", "[]", '["20","50"]', "[20,25]", "[1,50]", "[20,99]", "[20,50,1]", "[20,50,99]", '[20,50,"40"]', "[NaN,50]"]) {
    expect(parsedSizes(text), text).toEqual(original);
  }
});
