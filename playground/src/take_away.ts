/** What is needed to begin with own outputs and to take a workspace home, in a separate chunk that is loaded on demand. */
export { likelySecrets } from "./likely_secrets";
export { projectOf, readme } from "./project";
export { safePath, zip } from "./zip";
export { starter } from "./starter";
export { isInside, unzip } from "./unzip";
export { uses } from "./uses";
export { markdown, report } from "./share_text";
