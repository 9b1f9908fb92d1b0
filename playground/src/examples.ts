/** The examples menu, with files from the repository. */
import { byId, element } from "./dom";
import { first } from "./first";
import { notice } from "./notices";
import type { SpecExample } from "./spec_page";
import type { Saved } from "./state";
import { isStory, stories } from "./stories";
import { writeStory } from "./story_line";

const pages = import.meta.glob<string>(["../../docs/language/*.md", "!../../docs/language/README.md"], {
  query: "?raw",
  import: "default",
});

const FIRST = "first";
const EMPTY = "empty";

/** Returns the title of a page from its file name: `functions-addresses.md` is `Functions: addresses`. */
const title = (path: string): string => {
  const part = pages[path.replace(/-[^-/]*$/, ".md")] ? path.replace(/-(?=[^-]*$)/, ": ") : path;
  const words = part.replace(/^.*\/|\.md$/g, "").replaceAll("-", " ");
  return words.replace(/\b(json|yaml)\b/g, (word) => word.toUpperCase()).replace(/^./, (first) => first.toUpperCase());
};

/** Returns the title of an example: its sentence without the leading `it` and without Markdown. */
const caseTitle = (sentence: string): string => sentence.replaceAll("`", "").replace(/^./, (first) => first.toUpperCase());

interface Examples {
  /** Selects "Your files" in the menu. */
  forget: () => void;
  /** Opens the example that an address names, and returns whether that was possible. */
  openNamed: (name: string) => Promise<boolean>;
}

/** Fills the examples menu. */
export function examples(open: (saved: Saved) => void): Examples {
  const menu = byId<HTMLSelectElement>("examples");
  const cases = byId<HTMLSelectElement>("example-cases");
  const titles = Object.keys(pages).map((path) => [title(path), path] as const);
  const option = (value: string, text: string) => element("option", { value }, text);
  menu.append(
    // It is selected by what the user does, and cannot be chosen.
    element("option", { value: "", disabled: true }, "Your files"),
    option(FIRST, "Overview"),
    element(
      "optgroup",
      { label: "Questions" },
      ...Object.entries(stories).map(([name, label]) => option(name, label)),
    ),
    element(
      "optgroup",
      { label: "Language reference" },
      ...titles.sort().map(([words, path]) => option(path, words)),
    ),
    option(EMPTY, "Empty"),
  );
  menu.value = first.name;
  let examplesOfPage: SpecExample[] = [];

  const unknown = (): false => {
    notice("example", "error", "There is no example with the name in this address.");
    return false;
  };
  /** Opens what the menu has; `nth` counts the examples of a page from 0. */
  const choose = async (nth = 0): Promise<boolean> => {
    const { value } = menu;
    cases.parentElement!.hidden = true;
    try {
      if (value === FIRST && first.name === FIRST) open(first.saved);
      else if (value === EMPTY) {
        open({
          manifests: [{ path: "manifest.yaml", content: "" }],
          outputs: [{ name: "infra", path: "outputs.json", content: "" }],
        });
      } else if (value === FIRST || isStory(value)) {
        const { storyOf, storyTexts } = await import("./story_files");
        open(storyOf(value));
        if (isStory(value)) writeStory(storyTexts[value]);
      } else if (pages[value]) {
        const [text, { examplesOf }] = await Promise.all([pages[value](), import("./spec_page")]);
        examplesOfPage = examplesOf(text);
        cases.replaceChildren(...examplesOfPage.map((one, nth) => option(String(nth), caseTitle(one.sentence))));
        if (!examplesOfPage[nth]) return unknown();
        cases.selectedIndex = nth;
        cases.parentElement!.hidden = false;
        chooseCase();
      }
      return true;
    } catch {
      notice("example", "error", "This example could not be loaded. Check your network connection.");
      return false;
    }
  };
  const chooseCase = () => {
    const chosen = examplesOfPage[Number(cases.value)];
    if (chosen) open(chosen.saved);
  };
  menu.addEventListener("change", () => void choose());
  cases.addEventListener("change", chooseCase);
  return {
    // The workspace is no longer an example.
    forget: () => {
      menu.value = "";
      cases.parentElement!.hidden = true;
    },
    openNamed: async (name) => {
      const [page, nth = "1"] = name.split("/");
      const values = [name, `../../docs/language/${page}.md`];
      const found = [...menu.options].find(({ value }) => value && values.includes(value));
      if (found) menu.value = found.value;
      if (found ? await choose(pages[found.value] ? Number(nth) - 1 : 0) : unknown()) return true;
      menu.value = first.name;
      return false;
    },
  };
}
