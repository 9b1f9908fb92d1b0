/**
 * A proxy that everything but the test's own origin is sent to, and that lets nothing
 * through: it writes down who was asked for. So requests are seen that a page's
 * events do not tell, such as those of workers, beacons and preconnects.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Bait {
  address: string;
  taken: string[];
  server: Server;
}

export async function bait(): Promise<Bait> {
  const taken: string[] = [];
  const server = createServer((request, response) => {
    // Whoever asks for the proxy itself asks what it has heard since the last time.
    if (request.url === "/taken") {
      response.end(JSON.stringify(taken.splice(0)));
      return;
    }
    taken.push(request.url ?? "");
    response.writeHead(502).end();
  });
  server.on("connect", (request, socket) => {
    taken.push(request.url ?? "");
    socket.end("HTTP/1.1 502 Nothing leaves\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, taken, server };
}
