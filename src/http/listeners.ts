import { createServer, STATUS_CODES, type IncomingMessage, type RequestListener, type Server } from "node:http";
import {
  createServer as createTlsServer,
  type Server as HttpsServer,
  type ServerOptions as TlsOptions,
} from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Duplex } from "node:stream";
import { Problem, type ProblemCode } from "../core/errors.ts";
import type { ConnectionLimits } from "../core/limits.ts";
import { jsonType } from "./http-response.ts";
import { toErrorResponse } from "./error-response.ts";
import { toWireError } from "./wire/error-schema.ts";

/** HTTP and HTTPS servers with the same limits and one shutdown. */
export interface Listeners {
  /** Returns an HTTP server that does not listen yet; members of `own` replace the usual ones. */
  readonly create: (own?: OwnHandlers) => Server;
  /** Returns an HTTPS server that does not listen yet. */
  readonly createSecure: (tls: TlsOptions) => HttpsServer;
  /**
   * Stops accepting, closes idle connections, lets responses under way finish for up to `drainMsMax` and closes the
   * rest. Resolves when no connection is left.
   */
  readonly close: () => Promise<void>;
}

/** Handlers of one server. */
export interface OwnHandlers {
  readonly serve: RequestListener;
  /** Returns whether a request is emitted as `upgrade`; none unless given. */
  readonly shouldUpgrade?: (request: IncomingMessage) => boolean;
}

/** Node's error code for an unreadable request → the problem; any other request is malformed. */
const problemOf: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** Returns servers that pass every request to `serve`. */
export function createListeners(limits: ConnectionLimits, serve: RequestListener): Listeners {
  const endings: (() => Promise<void>)[] = [];
  const options = {
    headersTimeout: limits.headersMsMax,
    requestTimeout: limits.requestMsMax,
    keepAliveTimeout: limits.keepAliveMsMax,
    connectionsCheckingInterval: Math.min(5000, limits.headersMsMax),
    maxHeaderSize: limits.headerBytesMax,
    // Rejected behind the router, with the error body of every other rejection.
    requireHostHeader: false,
  };
  return {
    create: (own = { serve }) => {
      const shouldUpgradeCallback = own.shouldUpgrade ?? (() => false);
      const server = createServer({ ...options, shouldUpgradeCallback }, own.serve);
      server.on("clientError", rejectConnection).on("checkExpectation", rejectExpectation);
      endings.push(async () => drain(server, limits.drainMsMax));
      return server;
    },
    createSecure: (tls) => {
      const server = createTlsServer({ handshakeTimeout: limits.headersMsMax, ...tls, ...options }, serve);
      server.on("clientError", rejectConnection).on("checkExpectation", rejectExpectation);
      const endHandshakes = watchHandshakes(server);
      endings.push(async () => {
        const drained = drain(server, limits.drainMsMax);
        endHandshakes();
        return drained;
      });
      return server;
    },
    close: async () => {
      await Promise.all(endings.map(async (end) => end()));
    },
  };
}

/**
 * Tracks connections until their TLS handshake is done, since an HTTPS server does not know them before. The returned
 * function closes those.
 */
function watchHandshakes(server: HttpsServer): () => void {
  const shaking = new Map<string, Socket>();
  const place = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress ?? ""} ${String(remotePort)}`;
  server.on("connection", (socket: Socket) => {
    const key = place(socket);
    shaking.set(key, socket);
    socket.once("close", () => shaking.delete(key));
  });
  server.on("secureConnection", (socket: TLSSocket) => shaking.delete(place(socket)));
  return () => {
    for (const socket of shaking.values()) socket.destroy();
  };
}

/**
 * Rejects what never reaches a route, because it is not HTTP, too large or too slow, with the usual error body, and
 * closes the connection. A client whose TLS handshake is incomplete gets no response.
 */
function rejectConnection(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (/^(?:ECONNRESET$|ERR_TLS_|ERR_SSL_)/.test(error.code ?? "") || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = new Problem(problemOf[error.code ?? ""] ?? "invalid_request");
  const { status } = problem.row;
  const body = JSON.stringify(toWireError(problem));
  const head = [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}`,
    "Connection: close",
    `Content-Type: ${jsonType}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/**
 * Rejects an expectation other than 100-continue (RFC 9110 §10.1.1). The body that may follow is not read, so the
 * connection is closed.
 */
const rejectExpectation: RequestListener = (_request, response) => {
  const { response: rejection } = toErrorResponse(new Problem("expectation_failed"));
  const body = Buffer.concat(rejection.body ?? []);
  response.writeHead(rejection.status, { ...rejection.headers, "content-length": body.length, connection: "close" });
  response.end(body);
};

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
