/**
 * CONNECT (RFC 9110 §9.3.6): leads clients that cannot be pointed at us to our own HTTPS listener. The one address that is
 * ever connected to is that listener's, whatever a request says.
 */
import { STATUS_CODES, type IncomingMessage, type Server } from "node:http";
import { connect, type Server as NetServer, type Socket } from "node:net";
import { Problem } from "../core/errors.ts";
import { toErrorResponse } from "./error-response.ts";
import type { RequestObserver } from "./options.ts";

/** Where tunnels lead, and by which names. */
export interface Tunnel {
  /** Our own HTTPS listener. */
  readonly to: { readonly host: string; readonly port: number };
  /** Targets in authority form, `host:port` (RFC 9112 §3.2.3); any other is refused. */
  readonly targets: readonly string[];
}

/** What the door says about its tunnels. */
export interface TunnelOptions {
  /** How many tunnels may be open at the same time. */
  readonly countMax: number;
  readonly isClosing: () => boolean;
  readonly observer: RequestObserver;
}

/** The tunnels of one door. */
export interface Tunnels {
  /**
   * Answers every CONNECT of a listener: 200 for a target that is spelt exactly as one of the tunnel's but for the case of
   * letters, 403 for any other (and for all, where there is no tunnel), 503 while too many are open or the door closes.
   * Inside a tunnel hold the time limits of the HTTPS listener; when that ends the connection, the tunnel ends.
   */
  readonly attach: (listener: Server, tunnel: Tunnel | null) => void;
  /** Names the listener that tunnels lead to; what is known of a tunnel's client is kept as long as its connection there. */
  readonly registerTarget: (listener: NetServer) => void;
  /** The address of a connection's client: of one that came through a tunnel, that of the tunnel's other end. */
  readonly clientAddress: (socket: Pick<Socket, "remoteAddress" | "remotePort">) => string;
}

const notAProxy =
  "This is no open proxy: CONNECT leads to mailosaur.com:443 and to this service's own HTTPS listener only";

/** No tunnels yet. */
export function createTunnels({ countMax, isClosing, observer }: TunnelOptions): Tunnels {
  const open = new Set<Socket>();
  /** Client address by the place from which its tunnel reaches the HTTPS listener. */
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

  const refusalOf = (target: string, targets: ReadonlySet<string>): Problem | null => {
    if (!targets.has(target.toLowerCase())) return new Problem("forbidden", { text: notAProxy });
    return isClosing() || open.size >= countMax ? new Problem("unavailable") : null;
  };

  return {
    attach: (listener, tunnel) => {
      const targets = new Set(tunnel?.targets.map((target) => target.toLowerCase()));
      listener.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) => {
        const startedAt = performance.now();
        const problem = refusalOf(request.url ?? "", targets);
        if (problem === null && tunnel !== null) enter(client, head, tunnel.to);
        else refuse(client, problem ?? new Problem("unavailable"));
        const status = problem === null ? 200 : problem.row.status;
        observer.answered({ method: "CONNECT", route: "tunnel", status, durationMs: performance.now() - startedAt });
      });
    },
    registerTarget: (listener) => {
      listener.on("connection", (socket: Socket) => {
        const origin = place(socket.remoteAddress, socket.remotePort);
        // Not earlier: what the client of a closed tunnel has sent may still be read here, and is not from this machine.
        socket.once("close", () => origins.delete(origin));
      });
    },
    clientAddress: ({ remoteAddress, remotePort }) =>
      origins.get(place(remoteAddress, remotePort)) ?? remoteAddress ?? "",
  };
}

function place(address: string | undefined, port: number | undefined): string {
  return `${address ?? ""} ${String(port)}`;
}

/** How long the rest of an answer may take to leave, once the other end has closed. */
const lingerMsMax = 2000;

/** When one socket has ended, in whatever way, what it said last still leaves by the other, which then ends too. */
function tie(one: Socket, other: Socket, afterwards: () => void): void {
  const end = (socket: Socket): void => {
    socket.destroySoon();
    socket.setTimeout(lingerMsMax, () => socket.destroy());
    afterwards();
  };
  one.on("error", () => one.destroy()).once("close", () => end(other));
  other.on("error", () => other.destroy()).once("close", () => end(one));
}

function refuse(client: Socket, problem: Problem): void {
  const { status, headers, body } = toErrorResponse(problem).response;
  const content = Buffer.concat(body ?? []);
  const fields = Object.entries({ ...headers, "content-length": String(content.length), connection: "close" });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  // Nobody else listens on a socket that has left its parser, and the client may go at any moment.
  client.on("error", () => client.destroy());
  client.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n`);
  client.end(content, () => client.destroy());
}
