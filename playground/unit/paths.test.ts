import { describe, expect, it } from "vitest";
import { unfit } from "../src/paths";

describe("a path that somebody types", () => {
  it.each(["shop.yaml", "apps/eu/größe 😀.yaml", ".hidden/a", "a..b", "…", "ab:c.yaml", "x".repeat(200)])(
    "may be %s",
    (path) => expect(unfit(path, ["foo", "bar/baz.yaml", "shop.yml"])).toBe(""),
  );

  it.each([
    ["", "needs a name"],
    ["../x.yaml", "one / between"],
    ["..", "one / between"],
    [".", "one / between"],
    ["foo/", "one / between"],
    ["/x", "one / between"],
    ["a//b", "one / between"],
    ["a/./b", "one / between"],
    ["a\\b", "/ between folders"],
    ["C:\\x", "drive"],
    ["C:x", "drive"],
    ["a\tb", "cannot be seen"],
    ["a\u202eb", "cannot be seen"],
    ["a\ud800b", "cannot be seen"],
    ["x".repeat(201), "201 characters"],
    ["foo", "There is a foo already."],
    ["foo/bar.yaml", "foo is a file"],
    ["bar", "folder of bar/baz.yaml"],
  ])("cannot be %j", (path, why) => expect(unfit(path, ["foo", "bar/baz.yaml"])).toContain(why));
});
