/**
 * Serves the files of one build from a cache, so that the page loads offline. Everything that is
 * not a file of a build is left to the browser.
 */
export {};
declare const self: ServiceWorkerGlobalScope;

/** Written in front of this script by `stamp` in `build.ts`. */
declare const BUILD: {
  /** Differs from that of every other build. */
  digest: string;
  /** The integrity of each file, by its path; a folder's `index.html` is the path of the folder. None: turned off. */
  files: Record<string, string>;
};

const { scope } = self.registration;
/** Caches belong to the origin, which may have other pages with other caches. */
const PREFIX = `landfall ${scope} `;
const NAME = PREFIX + BUILD.digest;
const isOn = Object.keys(BUILD.files).length > 0;

const ownCaches = async () => (await caches.keys()).filter((name) => name.startsWith(PREFIX));

/** Adds a file to the cache, but only with the content that it has in this build. */
async function add(cache: Cache, path: string, integrity: string): Promise<void> {
  const url = scope + path;
  if (await cache.match(url)) return;
  const options: RequestInit = { integrity, redirect: "error", priority: "low" };
  // The browser's own cache may have the file of another build.
  const response = await fetch(url, options).catch(() => fetch(url, { ...options, cache: "reload" }));
  await cache.put(url, response);
}

/** Fails, and leaves an older worker in place, unless every file arrives. One after the other: nobody waits for them. */
async function install(): Promise<void> {
  if (isOn) {
    const cache = await caches.open(NAME);
    for (const [path, integrity] of Object.entries(BUILD.files)) await add(cache, path, integrity);
  }
  await self.skipWaiting();
}

/** Deletes the caches of other builds, except those of open pages, which hold a lock named after their script. */
async function activate(): Promise<void> {
  const { held = [] } = await navigator.locks.query();
  const scripts = held.map(({ name = "" }) => name).filter((name) => name.startsWith(scope));
  for (const name of await ownCaches()) {
    const cache = await caches.open(name);
    const used = await Promise.all(scripts.map((script) => cache.match(script)));
    if (!isOn || (name !== NAME && !used.some(Boolean))) await caches.delete(name);
  }
  if (isOn) await self.clients.claim();
  else await self.registration.unregister();
}

/** The names of all files but HTML and `sizes.js`, which only sets sizes, contain their digests, so that those of an older build may come from its cache. */
async function cached(url: string): Promise<Response | undefined> {
  for (const name of [NAME, ...(await ownCaches())]) {
    const found = await caches.match(url, { cacheName: name });
    if (found) return found;
  }
  return undefined;
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (!isOn || request.method !== "GET" || !request.url.startsWith(scope)) return;
  // An address may name an example after its `?`.
  const [address = ""] = request.url.split(/[?#]/);
  const path = address.slice(scope.length).replace(/(^|\/)index\.html$/, "$1");
  if (!Object.hasOwn(BUILD.files, path) && !path.startsWith("assets/")) return;
  event.respondWith(cached(scope + path).then((found) => found ?? fetch(request)));
});
