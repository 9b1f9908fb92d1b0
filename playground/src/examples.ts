/** The examples menu: the repository's own files, in the page as they are. */
import firstManifest from "../../examples/first/shop.yaml?raw";
import firstOutputs from "../../examples/first/infra.json?raw";
import { byId, element } from "./dom";
import { notice } from "./notices";
import type { SpecExample } from "./spec_page";
import type { Saved } from "./state";

const karpenter = import.meta.glob<string>(
  [
    "../../examples/karpenter/app/**/*.yaml",
    "../../examples/karpenter/bootstrap/*.yaml",
    "../../examples/karpenter/outputs/*.json",
    "!../../examples/**/kustomization.yaml",
  ],
  { query: "?raw", import: "default" },
);
const pages = import.meta.glob<string>(["../../docs/language/*.md", "!../../docs/language/README.md"], {
  query: "?raw",
  import: "default",
});

export const first: Saved = {
  manifests: [{ path: "shop.yaml", content: firstManifest }],
  outputs: [{ name: "infra", path: "infra.json", content: firstOutputs }],
};

const FIRST = "first";
const EMPTY = "empty";
const KARPENTER = { app: "nodes/ec2nodeclass.yaml", bootstrap: "secret.yaml" } as const;

async function ofKarpenter(folder: keyof typeof KARPENTER): Promise<Saved> {
  const root = "../../examples/karpenter/";
  const load = async (under: string) => {
    const paths = Object.keys(karpenter).filter((path) => path.startsWith(root + under));
    return Promise.all(
      paths.sort().map(async (path) => ({ path: path.slice((root + under).length), content: await karpenter[path]!() })),
    );
  };
  const [manifests, outputs] = await Promise.all([load(`${folder}/`), load("outputs/")]);
  return { manifests, outputs: outputs.map((one) => ({ name: "infra", ...one })), open: KARPENTER[folder] };
}

const title = (path: string): string => {
  const words = path.replace(/^.*\/|\.md$/g, "").replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Has at hand what the menu's first choices need, for the time without a network. */
export async function prefetch(): Promise<void> {
  await Promise.all(Object.values(karpenter).map((load) => load()));
}

export function examples(open: (saved: Saved) => void): { forget: () => void } {
  const menu = byId<HTMLSelectElement>("examples");
  const cases = byId<HTMLSelectElement>("example-cases");
  const option = (value: string, text: string) => element("option", { value }, text);
  menu.append(
    option("", "Your own"),
    option(FIRST, "First look"),
    element(
      "optgroup",
      { label: "A repository: Karpenter" },
      option("karpenter/app", "The application"),
      option("karpenter/bootstrap", "A Secret"),
    ),
    element(
      "optgroup",
      { label: "The language, page by page" },
      ...Object.keys(pages).sort().map((path) => option(path, title(path))),
    ),
    option(EMPTY, "Empty"),
  );
  menu.value = FIRST;
  let examplesOfPage: SpecExample[] = [];

  const choose = async () => {
    const { value } = menu;
    cases.parentElement!.hidden = true;
    try {
      if (value === FIRST) open(first);
      else if (value === EMPTY) {
        open({
          manifests: [{ path: "manifest.yaml", content: "" }],
          outputs: [{ name: "infra", path: "outputs.json", content: "" }],
        });
      } else if (value.startsWith("karpenter/")) open(await ofKarpenter(value.slice(10) as keyof typeof KARPENTER));
      else if (pages[value]) {
        const [text, { examplesOf }] = await Promise.all([pages[value](), import("./spec_page")]);
        examplesOfPage = examplesOf(text);
        cases.replaceChildren(...examplesOfPage.map((one, nth) => option(String(nth), `it ${one.sentence}`.replaceAll("`", ""))));
        cases.parentElement!.hidden = false;
        chooseCase();
      }
    } catch {
      notice("example", "wrong", "This example could not be loaded; is the network off?");
    }
  };
  const chooseCase = () => {
    const chosen = examplesOfPage[Number(cases.value)];
    if (chosen) open(chosen.saved);
  };
  menu.addEventListener("change", () => void choose());
  cases.addEventListener("change", chooseCase);
  return {
    // What is in the page is no example any more.
    forget: () => {
      menu.value = "";
      cases.parentElement!.hidden = true;
    },
  };
}
