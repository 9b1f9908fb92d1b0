/** The dialog with the tools, which are run on demand. */
import type { AdoptionOutcome, Counts, Diagnostic, Document, Edit, Input, OutputsDocument, Range, Substitution } from "landfall";
import { changesOf, docOf, inputOf, isCurrent, pluralize, summary, type Answer, type Snapshot } from "../answer";
import { settings, valueOf } from "../binding";
import { block } from "../copy";
import { runTool } from "../core/tools";
import { byId, element, prose } from "../dom";
import { dismiss, notice } from "../notices";
import type { Before, Doc, Side, Workspace } from "../state";
import type { Change } from "./settings_form";

/** What the tools do with the page. */
export interface Page {
  workspace: Workspace;
  change: Change;
  jump: (doc: Doc, offset: number) => void;
  /** Returns the last answer of the core. */
  answer: () => Answer | undefined;
  /** Shows another workspace, and offers to undo that. */
  replace: (apply: () => void) => void;
}

/** The maximum number of rows of a list; a last row counts the rest. */
const MAX_ROWS = 200;

/** The number of characters of a value that are shown, from some before the first difference. */
const [MAX_WIDTH, CONTEXT] = [80, 20];

/** Why a value stays as it is. */
const REASONS: Record<Exclude<AdoptionOutcome, "adopted">, string> = {
  ambiguous: "several outputs have this value",
  sensitive: "it contains the value of a sensitive output: only `stringData` of a Secret can refer to one",
  notAdoptable: "a reference there would not render to the same bytes",
  unquoted: "it is not quoted, in a flow collection",
  otherTool: "another tool reads this file",
};

interface Tool {
  id: string;
  title: string;
  about: string;
  /** Buttons, each with what it does; the returned nodes replace the answer. */
  actions: { label: string; run: () => Promise<Node[]> | Node[] }[];
  /** A menu before the buttons. */
  choice?: HTMLSelectElement;
}

export function showTools(page: Page): void {
  const dialog = byId<HTMLDialogElement>("tools-form");
  // Answers have values.
  dialog.addEventListener("close", () => byId("tools").replaceChildren(), { once: true });
  const sections = tools(page).map(({ id, title, about, actions, choice }) => {
    const answer = element("div", { class: "tool-answer", "data-testid": `tool-${id}-answer`, "aria-live": "polite" });
    const buttons = actions.map(({ label, run }) => {
      const button = element("button", { type: "button", "data-testid": `tool-${id}` }, label);
      button.addEventListener("click", async () => {
        button.disabled = true;
        answer.replaceChildren(element("p", {}, "Working…"));
        try {
          answer.replaceChildren(...(await run()));
        } catch (error) {
          answer.replaceChildren(element("p", { class: "error" }, `Nothing was done: ${error instanceof Error ? error.message : String(error)}.`));
        }
        button.disabled = false;
      });
      return button;
    });
    return element("section", {}, element("h3", {}, title), element("p", {}, ...prose(about)), element("div", { class: "tool-actions" }, ...(choice ? [choice] : []), ...buttons), answer);
  });
  byId("tools").replaceChildren(...sections);
  dialog.showModal();
  byId("tools").querySelector("button")?.focus();
}

/** Returns the documents of the page, as the package takes them. */
function input(workspace: Workspace): { snapshot: Snapshot; input: Input } {
  const { snapshot, input: { resourcesOnly } } = inputOf(workspace);
  const { manifests, binding } = snapshot;
  return { snapshot, input: { manifests: manifests.map(documentOf), outputs: bound(snapshot.outputs), resourcesOnly, ...(binding && { binding: documentOf(binding) }) } };
}
const documentOf = ({ path, text }: Doc): Document => ({ path, content: text });
const bound = (docs: Doc[]): OutputsDocument[] =>
  docs.map(({ path, text, name, sensitive, format }) => ({ path, content: text, name, sensitive, ...(format && { format }) }));

function tools(page: Page): Tool[] {
  const { workspace } = page;
  const { before } = workspace;
  const binding = workspace.binding();
  const dialects = settings().find(({ label }) => label === "dialect");
  const now = dialects && valueOf(binding?.text ?? "", dialects);
  const others = dialects?.values.filter((value) => value !== "landfall") ?? [];
  const choice = element("select", { "aria-label": "Dialect", "data-testid": "tool-dialect" }, ...others.map((value) => element("option", { value, selected: value === now }, value)));
  return [
    {
      id: "adopt",
      title: "Write references for values",
      about: "Finds values in the manifests that equal outputs, and writes references in their place. The result stays the same, byte for byte.",
      actions: [{ label: "Find values", run: () => adopt(page) }],
    },
    {
      id: "compare",
      title: "What changes with other outputs?",
      about: "Keep the outputs, change them, and compare: each value of the result that changes.",
      actions: [
        ...(before ? [{ label: `Compare with those ${before.what}`, run: () => compare(page, before) }] : []),
        {
          label: before ? "Keep the present outputs instead" : "Keep these outputs",
          run: () => {
            const { outputs } = inputOf(workspace).snapshot;
            workspace.before = {
              documents: bound(outputs),
              binding: binding && documentOf(binding),
              what: `of ${new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`,
            };
            return [element("p", {}, `${pluralize(outputs.length, "document")} kept in this tab. Close this, change the outputs, and come back to compare.`)];
          },
        },
      ],
    },
    {
      id: "migrate",
      title: "Rewrite another dialect",
      about: "Rewrites references of another dialect as landfall's own. The result stays the same.",
      choice,
      actions: [{ label: "Rewrite", run: () => migrate(page, choice.value) }],
    },
    {
      id: "expand",
      title: "Applications for a fleet",
      about: "Makes the Applications of the ApplicationSets in the result, for the cluster Secrets in it. Credentials are not read.",
      actions: [{ label: "Make Applications", run: () => expand(page) }],
    },
    {
      id: "contract",
      title: "A contract for these outputs",
      about: "Names and types of all outputs, and which are sensitive, without a value: what `landfall outputs check` and `spec.contract` hold others to.",
      actions: [{ label: "Write the contract", run: () => contract(page) }],
    },
    {
      id: "sample",
      title: "Outputs for a contract",
      about: "Makes outputs documents with placeholder values for the contract in the open manifest.",
      actions: [{ label: "Make outputs", run: () => sample(page) }],
    },
  ];
}

async function adopt(page: Page): Promise<Node[]> {
  const { snapshot, input: asked } = input(page.workspace);
  const { edits, values, diagnostics, omitted } = await runTool({ kind: "adopt", input: asked });
  if (!edits) return problemList(page, snapshot, diagnostics, omitted, "These manifests do not render yet:");
  if (values.length === 0) return [element("p", {}, "No value in these manifests equals an output.")];
  const written = edits.map((edits) => new Map(edits.map(({ range, text }) => [range.start.offset, text])));
  const rows = values.map(({ file, range, outputs, outcome, conceal }) => () => {
    const doc = snapshot.manifests[file];
    if (outcome !== "adopted") return row(page, doc, range, [outputs.join(", "), ": ", ...prose(REASONS[outcome])]);
    const reference = written[file]?.get(range.start.offset) ?? "";
    // Keys of a sensitive object may be secret, too.
    const isShown = !conceal || reference === `\${${outputs[0]}}`;
    const value = conceal || !doc ? "(not shown)" : doc.text.slice(range.start.offset, range.end.offset);
    return row(page, doc, range, [element("code", {}, value), " → ", element("code", {}, isShown ? reference : `\${${outputs[0]}…}`)]);
  });
  return [...list(rows), ...applyButton(page, snapshot, edits, [], "Write")];
}

async function migrate(page: Page, dialect: string): Promise<Node[]> {
  const { snapshot, input: asked } = input(page.workspace);
  const { edits, binding, diagnostics, omitted } = await runTool({ kind: "migrate", input: asked, dialect });
  if (!edits) return problemList(page, snapshot, diagnostics, omitted, "Nothing is rewritten, because these would be left:");
  const rows = edits.flatMap((edits, file) =>
    edits.map(({ range, text, conceal }) => () => {
      const doc = snapshot.manifests[file];
      const before = conceal || !doc ? "(not shown)" : doc.text.slice(range.start.offset, range.end.offset);
      return row(page, doc, range, [element("code", {}, before), " → ", element("code", {}, conceal ? "(not shown)" : text)]);
    }),
  );
  if (rows.length + binding.length === 0) return [element("p", {}, "There is nothing to rewrite.")];
  return [...list(rows), ...applyButton(page, snapshot, edits, binding, "Rewrite")];
}

async function compare(page: Page, { documents, binding }: Before): Promise<Node[]> {
  const { snapshot, input: asked } = input(page.workspace);
  const { renders, changes, otherChanges } = await runTool({ kind: "compare", input: asked, before: documents, binding });
  const what = {
    both: "",
    old: "The manifests no longer render with these outputs: see Problems.",
    new: "The manifests did not render with the outputs before.",
    neither: "The manifests render neither with these outputs nor with those before.",
  }[renders];
  const rows = changes.map(({ file, source, resource, field, output, sensitive, from, to }) => () => {
    const text = (value: typeof from) => {
      if (!value) return "(none)";
      if (sensitive) return "(sensitive)";
      return value.rendered ?? (value.type === "string" ? JSON.stringify(value.value) : value.value);
    };
    const [old, now] = around(text(from), text(to));
    const place = `${resource?.kind ? `${resource.kind}/${resource.name} ` : ""}${field}`;
    return row(page, snapshot.manifests[file], source, [`${place}: `, element("del", {}, old), " → ", element("ins", {}, now), element("small", {}, ` ${output}`)]);
  });
  const others = otherChanges.map(({ file, source, from, to }) => () =>
    row(page, snapshot.manifests[file], source, [element("del", {}, from ?? "(not shown)"), " → ", element("ins", {}, to ?? "(not shown)")]),
  );
  const count = renders === "both" || rows.length > 0 ? `${pluralize(rows.length + others.length, "change")}.` : "";
  return [element("p", {}, [what, count].filter(Boolean).join(" ")), ...list([...rows, ...others])];
}

async function expand(page: Page): Promise<Node[]> {
  const answer = page.answer();
  const { files } = answer?.explanation ?? {};
  if (!answer || !files || !isUnchanged(page, answer.snapshot)) return [element("p", {}, "There is no result yet: see Problems.")];
  const manifests = files.map(({ path, content }, file) => ({ path, content: withoutSecrets(content, answer.substitutions.filter((one) => one.file === file)) }));
  const { applications, diagnostics, omitted } = await runTool({ kind: "expand", manifests });
  const problems = diagnostics.length > 0 ? problemList(page, undefined, diagnostics, omitted, applications ? "Warnings:" : "No Applications can be made:") : [];
  if (!applications) return problems;
  const content = applications.map((one) => one.content).join("---\n");
  return [
    element("p", {}, `${pluralize(applications.length, "Application")}: ${applications.map(({ name }) => name).join(", ")}.`),
    ...problems,
    // They are made by Argo CD and are no sources: a text in them that looks like a reference is none.
    block({ path: "applications.yaml", content }),
  ];
}

/** Returns a result with placeholders for the values of sensitive outputs. */
function withoutSecrets(content: string, substitutions: Substitution[]): string {
  const secrets = substitutions.filter(({ sensitive }) => sensitive).sort((a, b) => b.result.start.offset - a.result.start.offset);
  return secrets.reduce((text, { result: { start, end } }) => {
    const quote = /^["']/.exec(text.slice(start.offset, end.offset))?.[0] ?? "";
    return `${text.slice(0, start.offset)}${quote}(sensitive)${quote}${text.slice(end.offset)}`;
  }, content);
}

async function contract(page: Page): Promise<Node[]> {
  const { snapshot, input: asked } = input(page.workspace);
  const { content, diagnostics, omitted } = await runTool({ kind: "contract", input: asked });
  if (content === undefined) return problemList(page, snapshot, diagnostics, omitted, "These outputs cannot be read:");
  return documentParts(page, "manifests", [{ path: "contract.yaml", content }]);
}

async function sample(page: Page): Promise<Node[]> {
  const doc = page.workspace.open.manifests;
  if (!doc) return [element("p", {}, "Open a manifest with a contract first.")];
  const { documents, diagnostics, omitted } = await runTool({ kind: "sample", contract: documentOf(doc) });
  const snapshot = { ...inputOf(page.workspace).snapshot, manifests: [doc] };
  if (!documents) return problemList(page, snapshot, diagnostics, omitted, `${doc.path} is no contract that outputs can be made for:`);
  const made = documents.map(({ name, content }) => ({ path: `${name}.sample.json`, name, content }));
  const taken = made.find(({ name }) => page.workspace.boundOutputs().some((doc) => doc.name === name));
  // Later documents of a name replace outputs of earlier ones.
  if (taken) return [element("p", {}, ...prose(`\`${taken.name}\` is bound already: this would replace its outputs.`)), ...made.map((one) => block(one))];
  return documentParts(page, "outputs", made);
}

/** Shows documents that can be copied, and added to the page. */
function documentParts(page: Page, side: Side, documents: { path: string; name?: string; content: string }[]): Node[] {
  const add = element("button", { type: "button", "data-testid": "tool-add" }, `Add to the ${side}`);
  add.addEventListener("click", () => {
    const undo = page.workspace.checkpoint();
    for (const one of documents) page.workspace.put(side, { ...one, path: page.workspace.freePath(side, one.path) });
    done(`${documents.map(({ path }) => path).join(", ")} added.`, () => page.replace(undo));
  });
  return [...documents.map((one) => block(one)), add];
}

/** Returns whether all documents of a snapshot are as they were. */
const isUnchanged = ({ workspace }: Page, snapshot: Snapshot): boolean =>
  [...snapshot.revisions.keys()].every((doc) => workspace.find(doc.key) === doc && isCurrent(snapshot, doc));

/** Returns the button that applies edits. */
function applyButton(page: Page, snapshot: Snapshot, edits: Edit[][], binding: Edit[], verb: string): Node[] {
  const count = edits.flat().length + binding.length;
  if (count === 0) return [];
  const button = element("button", { type: "button", "data-testid": "tool-apply" }, `${verb} ${pluralize(count, "change")}`);
  button.addEventListener("click", () => {
    if (!isUnchanged(page, snapshot)) return done("The documents have changed in the meantime. Run the tool again.");
    const undo = page.workspace.checkpoint();
    const all: [Doc | undefined, Edit[]][] = [[snapshot.binding, binding], ...edits.map((one, file): [Doc | undefined, Edit[]] => [snapshot.manifests[file], one])];
    for (const [doc, edits] of all) {
      if (doc && edits.length > 0) page.change(doc, changesOf(edits));
    }
    done(`${pluralize(count, "change")} written.`, () => page.replace(undo));
  });
  return [button];
}

/** Closes the dialog, says what was done, and offers to undo it. */
function done(text: string, undo?: () => void): void {
  byId<HTMLDialogElement>("tools-form").close();
  const action = undo && {
    label: "Undo",
    testid: "undo-tool",
    run: () => {
      dismiss("tool");
      undo();
    },
  };
  notice("tool", undo ? "info" : "error", text, action);
}

/** Shortens two values around their first difference. */
function around(...values: [string, string]): [string, string] {
  let common = 0;
  while (common < values[0].length && values[0][common] === values[1][common]) common++;
  const start = common > MAX_WIDTH - CONTEXT ? common - CONTEXT : 0;
  const shown = (value: string) => (value.length <= MAX_WIDTH ? value : `${start > 0 ? "…" : ""}${value.slice(start, start + MAX_WIDTH)}${value.length > start + MAX_WIDTH ? "…" : ""}`);
  return [shown(values[0]), shown(values[1])];
}

/** Returns a row with a link to its place. */
function row(page: Page, doc: Doc | undefined, { start }: Range, what: (Node | string)[]): HTMLElement {
  const link = element("button", { type: "button", class: "link" }, `${doc?.path ?? ""}:${start.line}`);
  link.addEventListener("click", () => {
    byId<HTMLDialogElement>("tools-form").close();
    if (doc && page.workspace.find(doc.key) === doc) page.jump(doc, start.offset);
  });
  return element("li", { "data-testid": "tool-row" }, link, " ", ...what);
}

/** Lists rows, which are made as they are shown. */
function list(rows: (() => HTMLElement)[]): Node[] {
  const more = rows.length - MAX_ROWS;
  return [element("ul", {}, ...rows.slice(0, MAX_ROWS).map((row) => row()), ...(more > 0 ? [element("li", {}, `and ${more} more`)] : []))];
}

/** Lists problems, with their places in the documents of a snapshot. */
function problemList(page: Page, snapshot: Snapshot | undefined, diagnostics: Diagnostic[], omitted: Counts, title: string): Node[] {
  const rows = diagnostics.map(({ message, help, labels: [first] }) => () => {
    const doc = snapshot && first && docOf(snapshot, first.origin);
    const what = [...prose(message), ...(help ? [element("small", {}, " ", ...prose(help))] : [])];
    return doc ? row(page, doc, first.range, what) : element("li", {}, ...what);
  });
  const { errors, warnings, notes } = omitted;
  const others = errors + warnings + notes > 0 ? [element("p", {}, `and ${summary({ error: errors, warning: warnings, note: notes }, "more ")}`)] : [];
  return [element("p", {}, title), ...list(rows), ...others];
}
