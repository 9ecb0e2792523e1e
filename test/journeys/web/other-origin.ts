/** Another web server on the same host, which records its requests. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A recording web server. */
export interface OtherOrigin extends AsyncDisposable {
  /** Address on loopback: the same site as the service, but another origin. */
  readonly url: string;
  /** Paths of the requests. */
  readonly requestPaths: readonly string[];
  /** Returns the number of connections, including those without a request. */
  readonly connectionCount: () => number;
}

/** Starts the server with `pages` by path; other paths have an empty body. */
export async function openOtherOrigin(pages: Readonly<Record<string, string>> = {}): Promise<OtherOrigin> {
  const requestPaths: string[] = [];
  let connectionCount = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    if (path !== "/favicon.ico") requestPaths.push(path);
    response.setHeader("content-type", "text/html");
    response.end(pages[path] ?? "");
  }).listen(0, "127.0.0.1");
  server.on("connection", () => (connectionCount += 1));
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestPaths,
    connectionCount: () => connectionCount,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
