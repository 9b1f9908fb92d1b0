import { describe, expect, it } from "vitest";
import { hunks } from "../src/panes/difference";

const of = (source: string, result: string) => hunks(source.split(""), result.split(""));

describe("a difference", () => {
  it.each([
    ["", "", []],
    ["abc", "abc", []],
    ["abc", "axc", [{ source: [1, 2], result: [1, 2] }]],
    ["abc", "axyc", [{ source: [1, 2], result: [1, 3] }]],
    ["abc", "ac", [{ source: [1, 2], result: [1, 1] }]],
    ["ac", "abc", [{ source: [1, 1], result: [1, 2] }]],
    ["1a2b3", "xaybz", [
      { source: [0, 1], result: [0, 1] },
      { source: [2, 3], result: [2, 3] },
      { source: [4, 5], result: [4, 5] },
    ]],
  ])("from %j to %j", (source, result, expected) => {
    expect(of(source, result)).toEqual(expected);
  });

  it("turns the source into the result for random texts", () => {
    let seed = 1;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    const text = () => Array.from({ length: random(12) }, () => "abc"[random(3)]!);
    for (let nth = 0; nth < 500; nth++) {
      const [source, result] = [text(), text()];
      const found = hunks(source, result);
      const made: string[] = [];
      let at = 0;
      for (const hunk of found) {
        made.push(...source.slice(at, hunk.source[0]), ...result.slice(...hunk.result));
        at = hunk.source[1];
      }
      made.push(...source.slice(at));
      expect(made).toEqual(result);
    }
  });

  it("replaces the whole middle of very large texts", () => {
    const lines = (end: string) => Array.from({ length: 5000 }, (_, nth) => `${nth}${end}`);
    expect(hunks(lines("a"), lines("b"))).toEqual([{ source: [0, 5000], result: [0, 5000] }]);
  });
});
