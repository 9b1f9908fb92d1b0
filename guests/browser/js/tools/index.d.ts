// `landfall/tools`. Await `init` before calling the other functions, which throw like those of
// `landfall`.
import type { Adopted, Applications, Compared, Contract, Document, Input, Migrated, OutputsDocument, Samples } from "../index.js";

export type { Adopted, Applications, Compared, Contract, Migrated, Samples };

/**
 * Loads the module of the tools from a URL, a response or its bytes, or by default from the file
 * next to this one.
 */
export function init(
  module?: URL | string | Response | Promise<Response> | BufferSource | WebAssembly.Module,
): Promise<void>;

/**
 * Finds hard-coded values in the manifests that equal outputs, and returns the edits that write
 * references in their place. The edited manifests render to the same bytes.
 */
export function adopt(input: Input): Adopted;

/** Returns the contract that the outputs satisfy: names and types, without a value. */
export function contract(input: Input): Contract;

/**
 * Returns outputs documents with placeholder values that satisfy a contract, whose labels have the
 * origin `{manifest: 0}`.
 */
export function sample(contract: Document): Samples;

/**
 * Returns the Applications that Argo CD makes for the ApplicationSets among these manifests.
 * `clusters` are the Secrets of its clusters, by default those among the manifests. Their credentials
 * are not read.
 */
export function expand(manifests: Document[], clusters?: Document[]): Applications;

/**
 * Returns the edits that rewrite the references of another dialect, such as `flux`, in landfall's
 * own. The edited manifests render to the same documents. There are no edits if anything would be
 * left.
 */
export function migrate(input: Input, dialect: string): Migrated;

/**
 * Compares the result of the input with its result with the outputs documents `before`. The values
 * of outputs that are sensitive in one of them are not in the answer. `binding` says which outputs
 * and formats those before have, by default that of the input.
 */
export function compare(input: Input, before: OutputsDocument[], binding?: Document): Compared;
