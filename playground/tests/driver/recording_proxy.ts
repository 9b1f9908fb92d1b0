/**
 * A proxy for all requests to other origins than the test's own, which refuses and records
 * them. It also sees requests that page events do not include, such as those of workers,
 * beacons and preconnects.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordingProxy {
  address: string;
  requests: string[];
  server: Server;
}

export async function recordingProxy(): Promise<RecordingProxy> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    // A request to the proxy itself returns what was recorded since the last one.
    if (request.url === "/requests") {
      response.end(JSON.stringify(requests.splice(0)));
      return;
    }
    requests.push(request.url ?? "");
    response.writeHead(502).end();
  });
  server.on("connect", (request, socket) => {
    requests.push(request.url ?? "");
    socket.end("HTTP/1.1 502 Blocked\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, requests, server };
}
