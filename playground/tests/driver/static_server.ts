/** A static file server on localhost. */
import { createServer, type Server } from "node:http";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, sep } from "node:path";

const MEDIA: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

/**
 * Serves `folder` at `/some/folder/`, because the page must not depend on being at the root
 * of a host, with the compressed files that the build writes. Disables caching, because the page
 * must not depend on it either.
 */
export async function serve(folder: string): Promise<{ address: string; server: Server }> {
  const prefix = "/some/folder/";
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent((request.url ?? "").split("?")[0] ?? "");
    const file = normalize(join(folder, path.slice(prefix.length).replace(/(^|\/)$/, "$1index.html")));
    const isBelow = path.startsWith(prefix) && file.startsWith(folder + sep);
    const body = isBelow ? await readFile(file).catch(() => undefined) : undefined;
    response.setHeader("Cache-Control", "no-store");
    if (!body) {
      response.writeHead(404).end();
      return;
    }
    const type = MEDIA[extname(file)] ?? "application/octet-stream";
    const brotli = String(request.headers["accept-encoding"]).includes("br") ? await readFile(`${file}.br`).catch(() => undefined) : undefined;
    if (brotli) response.setHeader("Content-Encoding", "br");
    const sent = brotli ?? body;
    response.writeHead(200, { "Content-Type": type, "Content-Length": sent.length }).end(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}${prefix}`, server };
}
