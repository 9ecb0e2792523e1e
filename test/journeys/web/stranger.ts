/** A stranger's web server: it serves pages, and remembers who has asked. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The stranger. */
export interface Stranger extends AsyncDisposable {
  /** On this very machine, which is what browsers call the same site as ours. */
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: readonly string[];
  /** Connections that were opened, also those without a request. */
  readonly connectionCount: () => number;
}

/** Opens the server; `pages` by their paths, everything else is an empty answer. */
export async function openStranger(pages: Readonly<Record<string, string>> = {}): Promise<Stranger> {
  const asked: string[] = [];
  let connectionCount = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    if (path !== "/favicon.ico") asked.push(path);
    response.setHeader("content-type", "text/html");
    response.end(pages[path] ?? "");
  }).listen(0, "127.0.0.1");
  server.on("connection", () => (connectionCount += 1));
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    connectionCount: () => connectionCount,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
