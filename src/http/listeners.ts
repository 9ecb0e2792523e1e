import { createServer, STATUS_CODES, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { ConnectionLimits } from "./options.ts";

/** The servers of one door, all with the same bounds and the same end. */
export interface Listeners {
  /** A server that does not listen yet: HTTPS with the options, HTTP without. */
  readonly create: (tls?: TlsOptions) => Server;
  /**
   * Stops accepting, closes idle connections, lets answers under way finish for up to `drainMsMax` and closes what is
   * left. Resolves when no connection is left.
   */
  readonly close: () => Promise<void>;
}

const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Servers that hand every request to `serve`. */
export function createListeners(limits: ConnectionLimits, serve: RequestListener): Listeners {
  const servers = new Set<Server>();
  const options = {
    headersTimeout: limits.headersMsMax,
    requestTimeout: limits.requestMsMax,
    keepAliveTimeout: limits.keepAliveMsMax,
    connectionsCheckingInterval: Math.min(5000, limits.headersMsMax),
    maxHeaderSize: limits.headerBytesMax,
  };
  return {
    create: (tls) => {
      const server =
        tls === undefined
          ? createServer(options, serve)
          : createTlsServer({ handshakeTimeout: limits.headersMsMax, ...tls, ...options }, serve);
      server.on("clientError", refuseConnection);
      servers.add(server);
      return server;
    },
    close: async () => {
      await Promise.all(Array.from(servers, async (server) => drain(server, limits.drainMsMax)));
    },
  };
}

/** What is no HTTP, too large or too slow never reaches a route: a status line, and the connection is over. */
function refuseConnection(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusOf[error.code ?? ""] ?? 400;
  socket.end(
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    () => socket.destroy(),
  );
}

async function drain(server: Server, drainMsMax: number): Promise<void> {
  if (!server.listening) return;
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, drainMsMax);
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeIdleConnections();
  });
  clearTimeout(timer);
}
