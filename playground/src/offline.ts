/** The service worker in `offline/`, which lets the page load offline. */

/** The address of this script: a service worker knows by it which build this tab has. */
const script = import.meta.url;

// Keeps the cached files of this build until the tab is closed, even if there is a newer build.
navigator.locks?.request(script, { mode: "shared" }, () => new Promise(() => {})).catch(() => {});

/** Registers the service worker, in browsers that have one and allow it: only with HTTPS, for example. */
export async function loadOffline(): Promise<void> {
  if (!import.meta.env.PROD || import.meta.env.VITE_OFFLINE === "off" || !navigator.locks) return;
  try {
    await navigator.serviceWorker.register(new URL("../service_worker.js", script));
  } catch {
    // The page works without it.
  }
}
