/** Requests that change the protocol of their connection (RFC 9110 §7.8), such as web sockets. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { Problem } from "../core/errors.ts";
import type { Context } from "../operations/context.ts";
import { toErrorResponse } from "./error-response.ts";
import { createHostGuard, requireHost } from "./host-guard.ts";
import type { HttpOptions } from "./options.ts";
import { endSocket } from "./send-response.ts";

/** Request to change the protocol, whose Host and Origin are allowed. */
export interface Upgrade {
  readonly context: Context;
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes that followed the header section. */
  readonly head: Buffer;
  readonly clientAddress: string;
  /** Records an error after the protocol has changed. */
  readonly failed: (error: unknown) => void;
}

/** Handler of the requests of a listener that change the protocol. */
export interface UpgradeHandler {
  /** Name of the endpoint in metrics. */
  readonly route: string;
  /** Returns whether a request changes the protocol; other requests are handled as usual. */
  readonly matches: (request: IncomingMessage) => boolean;
  /** Changes the protocol; rejects when the request is refused. */
  readonly accept: (upgrade: Upgrade) => Promise<void>;
}

/** State of the server. */
interface UpgradeState {
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly isClosing: () => boolean;
}

/**
 * Passes requests that change the protocol to a handler; errors are responded to with the usual bodies. The returned function
 * closes the connections that have changed it.
 */
export function attachUpgrades(
  server: Server,
  handler: UpgradeHandler,
  { options, state }: { readonly options: HttpOptions; readonly state: UpgradeState },
): () => void {
  const guard = createHostGuard(options.hostRules);
  const { context, observer } = options;
  const { route } = handler;
  const open = new Set<Duplex>();
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const startedAt = performance.now();
    const method = request.method ?? "";
    const answered = (status: number): void => {
      observer.answered({ method, route, status, durationMs: performance.now() - startedAt });
    };
    const failed = (error: unknown): void => {
      observer.failed({ id: randomUUID(), method, route, error });
    };
    // Nothing else listens on a socket that has left its parser, and the client may disconnect at any moment.
    socket.on("error", () => socket.destroy());
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    const accept = async (): Promise<void> => {
      if (state.isClosing()) throw new Problem("unavailable");
      requireHost(request);
      guard(request.headers);
      const clientAddress = state.clientAddress(request);
      await handler.accept({ context, request, socket, head, clientAddress, failed });
    };
    accept()
      .then(() => 101)
      .catch((error: unknown) => {
        const { response, logged } = toErrorResponse(error);
        if (logged !== null) observer.failed({ ...logged, method, route });
        endSocket(socket, response);
        return response.status;
      })
      .then(answered, failed);
  });
  return () => {
    for (const socket of open) socket.destroy();
  };
}
