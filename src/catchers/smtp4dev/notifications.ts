/** Hub `/hubs/notifications`: the JSON protocol of SignalR over a web socket, in which only the service sends. */
import { randomUUID } from "node:crypto";
import { decodeMessageId } from "../../core/ids.ts";
import { jsonResponse } from "../../http/http-response.ts";
import { openChanges } from "../mailbox.ts";
import { catcherRoutes, type CatcherRoute, type CatcherSocket, type CatcherSubscriber } from "../catcher.ts";
import { mailboxName } from "./list-messages.ts";

const path = "/hubs/notifications";

/** Response to the negotiation: JSON over web sockets, without other transports and the binary protocol. */
export const negotiationRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  [`POST ${path}/negotiate`]: () => {
    const connectionId = randomUUID();
    const availableTransports = [{ transport: "WebSockets", transferFormats: ["Text"] }];
    return jsonResponse({ negotiateVersion: 1, connectionId, connectionToken: connectionId, availableTransports });
  },
});

/** Web socket of the hub. */
export const notifications: CatcherSocket = { path, permission: "read", open: streamNotifications };

/**
 * Yields the response to the handshake, which does not depend on the request; then an invocation of `messageschanged` for each
 * change of the received messages, and pings, without which clients disconnect after 30 seconds.
 */
async function* streamNotifications(subscriber: CatcherSubscriber): AsyncGenerator<string, void> {
  const changes = await openChanges(subscriber);
  yield record({});
  for await (const change of changes) {
    const isShown = change !== null && (change.id === null || decodeMessageId(change.id).direction === "Received");
    yield record(isShown ? { type: 1, target: "messageschanged", arguments: [mailboxName] } : { type: 6 });
  }
}

/** Returns a message of the protocol, which a record separator ends. */
function record(message: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(message)}\u001e`;
}
