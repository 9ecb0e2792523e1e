/** Web sockets over which the service sends texts (RFC 6455). The only file that imports ws. */
import { WebSocketServer, type WebSocket } from "ws";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import type { Upgrade } from "../http/upgrades.ts";

/** Bytes of a message that a client may send; its content is ignored. */
const payloadBytesMax = 4096;
/** Time in which a client must take a text, in milliseconds. */
const writeMsMax = 10_000;
/** Time between two pings, each of which the client must answer before the next one. */
const pingMs = 54_000;
/** Bytes that may wait in the connection when a ping of the client is answered. */
const pongBytesMax = 64 * 1024;
/** Time in which a client must answer a close frame. */
const closeMsMax = 1000;

const goingAway = 1001;
const serviceFailed = 1011;

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: payloadBytesMax,
  perMessageDeflate: false,
  autoPong: false,
});

/**
 * Opens a web socket and sends the texts, each when the client has taken the last one; ends it after the last text. A client that
 * does not take a text, answers no ping or sends too much is disconnected. `closed` is called once when the connection is
 * closed. Rejects with `invalid_request` when the request is no handshake; then `closed` is not called.
 */
export async function openWebSocket(
  { request, socket, head, context: { clock }, failed }: Upgrade,
  texts: AsyncGenerator<string, void>,
  closed: () => void,
): Promise<void> {
  if (!isHandshake(request.headers)) throw new Problem("invalid_request", { text: "This is no web socket handshake" });
  if (socket.destroyed) throw new Problem("invalid_request");
  server.handleUpgrade(request, socket, head, (client) => {
    const endPings = keepAlive(client, clock);
    client.once("close", () => {
      endPings();
      closed();
    });
    client.on("error", () => {
      client.terminate();
    });
    void pump(client, texts, clock)
      .then(() => goingAway)
      .catch((error: unknown) => {
        if (client.readyState === client.OPEN) failed(error);
        return serviceFailed;
      })
      .then((code) => {
        end(client, code, clock);
        return code;
      });
  });
}

/** Returns whether ws accepts the header fields (RFC 6455 §4.2.1); it responds to others itself. */
function isHandshake(headers: Upgrade["request"]["headers"]): boolean {
  const key = headers["sec-websocket-key"];
  return (
    typeof key === "string" &&
    /^[+/0-9A-Za-z]{22}==$/.test(key) &&
    /^(?:13|8)$/.test(String(headers["sec-websocket-version"]))
  );
}

async function pump(client: WebSocket, texts: AsyncGenerator<string, void>, clock: Clock): Promise<void> {
  for await (const text of texts) {
    if (client.readyState !== client.OPEN) return;
    await send(client, text, clock);
  }
}

/** Resolves when the connection has taken a text, or is closed, which happens after {@link writeMsMax}. */
async function send(client: WebSocket, text: string, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = clock.after(writeMsMax, () => {
      client.terminate();
    });
    // The callback gets an error when the connection is closed, which ends the iteration.
    client.send(text, () => {
      cancel();
      resolve();
    });
  });
}

/** Sends pings, and answers those of the client. The returned function ends that. */
function keepAlive(client: WebSocket, clock: Clock): () => void {
  let isAlive = true;
  let cancel = (): void => undefined;
  const ping = (): void => {
    if (!isAlive) {
      client.terminate();
      return;
    }
    isAlive = false;
    client.ping();
    cancel = clock.after(pingMs, ping);
  };
  cancel = clock.after(pingMs, ping);
  client.on("pong", () => {
    isAlive = true;
  });
  client.on("ping", (payload) => {
    if (client.bufferedAmount > pongBytesMax) client.terminate();
    else client.pong(payload);
  });
  return () => {
    cancel();
  };
}

function end(client: WebSocket, code: number, clock: Clock): void {
  if (client.readyState === client.CLOSED) return;
  const cancel = clock.after(closeMsMax, () => {
    client.terminate();
  });
  client.once("close", cancel);
  client.close(code);
}
