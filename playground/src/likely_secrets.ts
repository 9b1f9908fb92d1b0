/** Finds text that is probably a key or a token, although nothing marks it: random text and known prefixes. */

/** Keys and tokens that say what they are. */
const KNOWN = /-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}|\bxox[abpr]-[\w-]{10,}|\beyJ[\w-]{10,400}\.[\w-]{10}/;
const TOKEN = /[A-Za-z0-9+_=-]{20,}/g;
/** Certificates are public. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*(-----END CERTIFICATE-----|$)/g;

/** Whether letters of both cases and digits alternate as they do in random text, and seldom in words and numbers. */
function isRandom(token: string): boolean {
  const classes: number[] = [...token].map((one) => (/[a-z]/.test(one) ? 0 : /[A-Z]/.test(one) ? 1 : /\d/.test(one) ? 2 : 3));
  if ([0, 1, 2].some((one) => !classes.includes(one))) return false;
  const changes = classes.filter((one, nth) => nth > 0 && one !== classes[nth - 1]).length;
  return changes >= 0.4 * token.length && new Set(token).size >= Math.min(14, token.length / 2);
}

/** Returns the text that a token is the base64 of; `undefined` if it decodes to no text. */
function decoded(token: string): string | undefined {
  try {
    const text = atob(token.slice(0, token.length - (token.length % 4)));
    return /^[\x20-\x7e\s]+$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function isSecret(token: string): boolean {
  const text = decoded(token);
  return text === undefined ? isRandom(token) : likelySecrets(text).length > 0;
}

/** Returns the numbers of lines with such text, from 1. */
export function likelySecrets(text: string): number[] {
  const withoutCertificates = text.replace(CERTIFICATE, (block) => block.replace(/[^\n]/g, ""));
  return withoutCertificates.split("\n").flatMap((line, nth) => {
    const tokens = line.length < 20 ? [] : (line.match(TOKEN) ?? []);
    return KNOWN.test(line) || tokens.some(isSecret) ? [nth + 1] : [];
  });
}
