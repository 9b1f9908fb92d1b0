/** What the person works on: manifests and outputs documents, and which are open. */

export type Side = "manifests" | "outputs";

export interface Doc {
  readonly key: number;
  readonly side: Side;
  path: string;
  /** For outputs documents: the name that references use. */
  name: string;
  /** For outputs documents: every value is sensitive, for example out of a Secret. */
  sensitive: boolean;
  text: string;
  /** Counts the changes of `text`. */
  revision: number;
  /** It came with an example, and nothing of it was changed since. */
  isOfExample: boolean;
}

/** A workspace as it is written down: in an example, in a link. */
export interface Saved {
  manifests: { path: string; content: string }[];
  outputs: { name: string; path: string; content: string; sensitive?: boolean }[];
  /** Path of the manifest to begin with. */
  open?: string;
  /** Every document must be a resource. Without it: when there is a Binding, as in a folder. */
  resourcesOnly?: boolean;
}

export type Change =
  /** Documents came, went or were renamed. */
  | "documents"
  /** Another document is open. */
  | "open"
  /** Text was changed. */
  | "text";

/** How many characters an editor takes; more is rendered, but not shown for editing. */
export const EDITOR_LIMIT = 2 * 1024 * 1024;

/** How many characters the page takes in one document. */
export const DOCUMENT_LIMIT = 64 * 1024 * 1024;

const BINDING_NAME = /(^|\/)landfall\.ya?ml$/;
const BINDING_KIND = /^kind:[ \t]*["']?Binding\b/m;
const BINDING_GROUP = /^apiVersion:[ \t]*["']?landfall\.dev\//m;

/** A Binding is known by its name, as the command knows it, or by its kind. */
export function isBinding(doc: Doc): boolean {
  if (doc.side !== "manifests") return false;
  if (BINDING_NAME.test(doc.path)) return true;
  const head = doc.text.slice(0, 4096);
  return BINDING_KIND.test(head) && BINDING_GROUP.test(head);
}

export class Workspace {
  readonly docs: Doc[] = [];
  readonly open: Record<Side, Doc | undefined> = { manifests: undefined, outputs: undefined };
  /** An example was opened, and nothing was changed since. */
  isUntouched = true;
  /** As in `Saved`. */
  resourcesOnly: boolean | undefined;
  #listeners: ((change: Change) => void)[] = [];
  #next = 1;

  listen(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  of(side: Side): Doc[] {
    return this.docs.filter((doc) => doc.side === side);
  }

  find(key: number): Doc | undefined {
    return this.docs.find((doc) => doc.key === key);
  }

  /** The Binding in force: the first one. */
  binding(): Doc | undefined {
    return this.docs.find(isBinding);
  }

  /** Puts everything away and opens this. */
  load(saved: Saved, isExample: boolean): void {
    this.docs.length = 0;
    for (const one of saved.outputs) this.#push("outputs", one, isExample);
    for (const one of saved.manifests) this.#push("manifests", one, isExample);
    this.open.outputs = this.of("outputs")[0];
    const manifests = this.of("manifests");
    this.open.manifests =
      manifests.find((doc) => doc.path === saved.open) ??
      manifests.find((doc) => !isBinding(doc)) ??
      manifests[0];
    this.isUntouched = isExample;
    this.resourcesOnly = saved.resourcesOnly;
    this.#tell("documents");
  }

  /** Keeps all documents as they are now; what it returns brings them back. */
  keep(): () => void {
    const docs = [...this.docs];
    const { open, isUntouched, resourcesOnly } = this;
    const opened = { ...open };
    return () => {
      this.docs.splice(0, this.docs.length, ...docs);
      Object.assign(open, opened);
      Object.assign(this, { isUntouched, resourcesOnly });
      this.#tell("documents");
    };
  }

  save(): Saved {
    return {
      manifests: this.of("manifests").map(({ path, text }) => ({ path, content: text })),
      outputs: this.of("outputs").map(({ name, path, text, sensitive }) => ({
        name,
        path,
        content: text,
        ...(sensitive && { sensitive }),
      })),
      ...(this.open.manifests && { open: this.open.manifests.path }),
      ...(this.resourcesOnly !== undefined && { resourcesOnly: this.resourcesOnly }),
    };
  }

  #push(
    side: Side,
    from: { path: string; content: string; name?: string; sensitive?: boolean },
    isOfExample = false,
  ): Doc {
    const doc: Doc = {
      key: this.#next++,
      side,
      path: this.freePath(side, from.path),
      name: from.name ?? "",
      sensitive: from.sensitive ?? false,
      text: from.content,
      revision: 1,
      isOfExample,
    };
    this.docs.push(doc);
    return doc;
  }

  /** Adds a document, or gives the one at its path another text. */
  put(
    side: Side,
    from: { path: string; content: string; name?: string; sensitive?: boolean },
  ): "added" | "replaced" {
    this.isUntouched = false;
    const there = this.of(side).find((doc) => doc.path === from.path);
    if (there) {
      there.text = from.content;
      there.revision++;
      there.isOfExample = false;
    }
    this.open[side] = there ?? this.#push(side, from);
    this.#tell("documents");
    return there ? "replaced" : "added";
  }

  examplesOf(side: Side): Doc[] {
    return this.of(side).filter((doc) => doc.isOfExample);
  }

  /** Takes what is an example's of a side away; whether there was any. */
  clearExample(side: Side): boolean {
    const docs = this.examplesOf(side);
    for (const doc of docs) this.docs.splice(this.docs.indexOf(doc), 1);
    const { open } = this;
    if (open[side]?.isOfExample) open[side] = this.of(side)[0];
    // How its manifests were to be read went with them.
    if (docs.length > 0 && side === "manifests") this.resourcesOnly = undefined;
    return docs.length > 0;
  }

  /** Takes a document away, and tells the place among its side's that it had. */
  remove(doc: Doc): number {
    const siblings = this.of(doc.side);
    const at = siblings.indexOf(doc);
    this.docs.splice(this.docs.indexOf(doc), 1);
    if (this.open[doc.side] === doc) this.open[doc.side] = siblings[at + 1] ?? siblings[at - 1];
    this.isUntouched = false;
    this.#tell("documents");
    return at;
  }

  /** Brings a document back to its place; what has its path or its name meanwhile keeps them. */
  restore(doc: Doc, at: number): void {
    const { side, path, name } = doc;
    doc.path = this.freePath(side, path);
    if (side === "outputs" && this.of(side).some((one) => one.name === name)) doc.name = this.freeName(path);
    const next = this.of(side)[at];
    this.docs.splice(next ? this.docs.indexOf(next) : this.docs.length, 0, doc);
    this.open[side] = doc;
    this.isUntouched = false;
    this.#tell("documents");
  }

  describe(doc: Doc, to: { path: string; name?: string; sensitive?: boolean }): void {
    doc.path = to.path;
    doc.name = to.name ?? doc.name;
    doc.sensitive = to.sensitive ?? doc.sensitive;
    doc.isOfExample = false;
    this.isUntouched = false;
    this.#tell("documents");
  }

  show(doc: Doc): void {
    if (this.open[doc.side] === doc) return;
    this.open[doc.side] = doc;
    this.#tell("open");
  }

  /** An editor changed the text, or something else did: then editors show it anew. */
  edit(doc: Doc, text: string, by: "editor" | "page" = "editor"): void {
    doc.text = text;
    doc.revision++;
    doc.isOfExample = false;
    this.isUntouched = false;
    this.#tell(by === "editor" ? "text" : "documents");
  }

  /** A path that no other document of the side has. */
  freePath(side: Side, wanted: string): string {
    const taken = new Set(this.of(side).map((doc) => doc.path));
    if (!taken.has(wanted)) return wanted;
    const [, stem = wanted, end = ""] = /^(.*?)(\.[^./]*)?$/s.exec(wanted) ?? [];
    for (let nth = 2; ; nth++) {
      const path = `${stem}-${nth}${end}`;
      if (!taken.has(path)) return path;
    }
  }

  /** A name for an outputs document that no other one has. */
  freeName(path: string): string {
    const names = new Set(this.of("outputs").map((doc) => doc.name));
    if (!names.has("infra")) return "infra";
    const base = path.replace(/^.*\//, "").replace(/\..*$/, "").replace(/[^A-Za-z0-9_-]/g, "_");
    const wanted = /^[A-Za-z_]/.test(base) ? base : `outputs_${base}`;
    if (!names.has(wanted)) return wanted;
    for (let nth = 2; ; nth++) {
      if (!names.has(`${wanted}_${nth}`)) return `${wanted}_${nth}`;
    }
  }
}
