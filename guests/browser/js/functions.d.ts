// The npm package `landfall`. `init` must have ended before the others are called.

/**
 * Loads the module: from a URL, a response, its bytes, or without an argument the file
 * beside this one. Called again after the module has stopped it makes a fresh instance
 * of what was loaded first.
 */
export function init(
  module?: URL | string | Response | Promise<Response> | BufferSource | WebAssembly.Module,
): Promise<void>;

/**
 * The rendered files.
 *
 * Like all functions below it throws
 * - a `TypeError` that says `landfall does not take this input: …` when the input is not
 *   what these types say: another type, a key that is not there, a string with half a
 *   surrogate pair. Nothing has stopped;
 * - an error named `LandfallStopped` when the module has stopped, as it does where the
 *   memory ends: call `init` again.
 */
export function render(input: Input): Rendered;

/** Diagnostics alone. */
export function check(input: Input): Findings;

/** The rendered files with every substitution. */
export function explain(input: Input): Explanation;

/**
 * What may stand at an offset (UTF-16 code units) of a manifest, best first: names behind
 * `${` and `.`, functions behind `|`.
 *
 * `manifest` is an index of `input.manifests`, `offset` at most the length of that
 * document: any other place is a `TypeError`.
 */
export function complete(input: Input, at: { manifest: number; offset: number }): Completion[];

/** The core's version and the SHA-256 of its module, in lowercase hexadecimal. */
export function version(): { version: string; digest: string };
