import { describe, expect, it } from "vitest";
import { pathProblem } from "../src/paths";

describe("a path", () => {
  it.each(["shop.yaml", "apps/eu/größe 😀.yaml", ".hidden/a", "a..b", "…", "ab:c.yaml", "x".repeat(200)])(
    "may be %s",
    (path) => expect(pathProblem(path, ["foo", "bar/baz.yaml", "shop.yml"])).toBe(""),
  );

  it.each([
    ["", "needs a name"],
    ["../x.yaml", "single / between"],
    ["..", "single / between"],
    [".", "single / between"],
    ["foo/", "single / between"],
    ["/x", "single / between"],
    ["a//b", "single / between"],
    ["a/./b", "single / between"],
    ["a\\b", "/ between folders"],
    ["C:\\x", "drive"],
    ["C:x", "drive"],
    ["a\tb", "invisible"],
    ["a\u202eb", "invisible"],
    ["a\ud800b", "invisible"],
    ["x".repeat(201), "201 characters"],
    ["foo", "foo already exists."],
    ["foo/bar.yaml", "foo is a file"],
    ["bar", "folder of bar/baz.yaml"],
  ])("cannot be %j", (path, why) => expect(pathProblem(path, ["foo", "bar/baz.yaml"])).toContain(why));
});
