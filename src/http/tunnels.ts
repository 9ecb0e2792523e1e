/**
 * CONNECT (RFC 9110 §9.3.6): tunnels clients whose base URL cannot be configured to the service's own HTTPS listener.
 * No other address is ever connected to.
 */
import type { IncomingMessage, Server } from "node:http";
import { connect, type Server as NetServer, type Socket } from "node:net";
import { Problem } from "../core/errors.ts";
import { findHost } from "../providers/hosts.ts";
import { toErrorResponse } from "./error-response.ts";
import type { RequestObserver } from "./options.ts";
import { endSocket } from "./send-response.ts";

/** Target of tunnels, and the host names that are tunnelled to it. */
export interface Tunnel {
  /** The HTTPS listener of the service. */
  readonly to: { readonly host: string; readonly port: number };
  /** Targets in authority form, `host:port` (RFC 9112 §3.2.3), where `*.` stands for any first label; any other is rejected. */
  readonly targets: readonly string[];
}

/** Options for {@link createTunnels}. */
export interface TunnelOptions {
  /** Largest number of open tunnels. */
  readonly countMax: number;
  readonly isClosing: () => boolean;
  readonly observer: RequestObserver;
}

/** Tunnels of one HTTP server. */
export interface Tunnels {
  /**
   * Responds to every CONNECT of a listener: 200 for a target of the tunnel (compared without letter case), 403 for any
   * other and when there is no tunnel, 503 while too many are open or the server is closing. The time limits of the
   * HTTPS listener apply inside a tunnel; when that closes the connection, the tunnel closes.
   */
  readonly attach: (listener: Server, tunnel: Tunnel | null) => void;
  /**
   * Sets the target listener of tunnels. The client address of a tunnel is stored as long as its connection there.
   */
  readonly registerTarget: (listener: NetServer) => void;
  /** Returns the address of a connection's client; for a tunnel, that of its other end. */
  readonly clientAddress: (socket: Pick<Socket, "remoteAddress" | "remotePort">) => string;
}

const notAProxy =
  "CONNECT is allowed to mailosaur.com:443, to the hosts of RESTANTE_INTERCEPT and to this service's own HTTPS listener only";

/** Creates the tunnels of a server; none is open yet. */
export function createTunnels({ countMax, isClosing, observer }: TunnelOptions): Tunnels {
  const open = new Set<Socket>();
  /** Client addresses by the local address from which their tunnel reaches the HTTPS listener. */
  const origins = new Map<string, string>();

  const enter = (client: Socket, head: Buffer, to: Tunnel["to"]): void => {
    const inner = connect({ ...to, noDelay: true });
    open.add(client);
    tie(client, inner, () => open.delete(client));
    inner.once("connect", () => {
      origins.set(place(inner.localAddress, inner.localPort), client.remoteAddress ?? "");
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      inner.write(head);
      client.pipe(inner);
      inner.pipe(client);
    });
  };

  const refusalOf = (target: string, targets: ReadonlyMap<string, boolean>): Problem | null => {
    if (findHost(targets, target.toLowerCase()) === undefined) return new Problem("forbidden", { text: notAProxy });
    return isClosing() || open.size >= countMax ? new Problem("unavailable") : null;
  };

  return {
    attach: (listener, tunnel) => {
      const targets = new Map(tunnel?.targets.map((target) => [target.toLowerCase(), true]));
      listener.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) => {
        const startedAt = performance.now();
        const problem = refusalOf(request.url ?? "", targets);
        if (problem === null && tunnel !== null) enter(client, head, tunnel.to);
        else reject(client, problem ?? new Problem("unavailable"));
        const status = problem === null ? 200 : problem.row.status;
        observer.answered({ method: "CONNECT", route: "tunnel", status, durationMs: performance.now() - startedAt });
      });
    },
    registerTarget: (listener) => {
      listener.on("connection", (socket: Socket) => {
        const origin = place(socket.remoteAddress, socket.remotePort);
        // Not earlier: data of a closed tunnel may still be read here, and does not come from this machine.
        socket.once("close", () => origins.delete(origin));
      });
    },
    clientAddress: ({ remoteAddress, remotePort }) => {
      const origin = origins.size === 0 ? undefined : origins.get(place(remoteAddress, remotePort));
      return origin ?? remoteAddress ?? "";
    },
  };
}

function place(address: string | undefined, port: number | undefined): string {
  return `${address ?? ""} ${String(port)}`;
}

/** Time in which the rest of a response may be sent after the other end has closed, in milliseconds. */
const lingerMsMax = 2000;

/** Forwards what a socket sent last when it ends, and then ends the other one too. */
function tie(one: Socket, other: Socket, afterwards: () => void): void {
  const end = (socket: Socket): void => {
    socket.destroySoon();
    socket.setTimeout(lingerMsMax, () => socket.destroy());
    afterwards();
  };
  one.on("error", () => one.destroy()).once("close", () => end(other));
  other.on("error", () => other.destroy()).once("close", () => end(one));
}

function reject(client: Socket, problem: Problem): void {
  // Nothing else listens on a socket that has left its parser, and the client may disconnect at any moment.
  client.on("error", () => client.destroy());
  endSocket(client, toErrorResponse(problem).response);
}
