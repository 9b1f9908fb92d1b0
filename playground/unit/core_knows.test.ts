import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { formats, settings } from "../src/binding";

/** Words that the page needs for other things: file extensions, the product, a kind of value. */
const WORDS = new Set(["json", "yaml", "landfall", "secret"]);

it("has no name of a format or dialect in its sources: the core knows them", () => {
  const dialects = settings().find(({ label }) => label === "dialect")!.values;
  const names = [...dialects, ...formats()].filter((name) => !WORDS.has(name));
  expect(names.length).toBeGreaterThan(10);
  const folder = new URL("../src/", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.(ts|html)$/.test(path));
  const literal = new RegExp(`["'\`](${names.join("|")})["'\`]`);
  const found = files.flatMap((path) => literal.exec(readFileSync(new URL(path, folder), "utf8"))?.[0].concat(` in ${path}`) ?? []);
  expect(found).toEqual([]);
});
