/** API of smtp4dev (https://github.com/rnwood/smtp4dev), version 3. */
import { jsonResponse } from "../../http/http-response.ts";
import {
  catcherRoutes,
  type Catcher,
  type CatcherRoute,
  type CatcherSocket,
  type CatcherSubscriber,
} from "../catcher.ts";
import { plainResponse } from "../responses.ts";
import { changeRoutes, listRoutes, mailboxName } from "./messages.ts";
import { messageRoutes, partRoutes } from "./read-message.ts";
import { randomUUID } from "node:crypto";
import { decodeMessageId } from "../../core/ids.ts";
import { openChanges } from "../mailbox.ts";

/** The server and its version; its settings are those of the service. */
const serverRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  "GET /api/server": ({ context }) =>
    jsonResponse({
      isRunning: true,
      exception: null,
      settingsAreEditable: false,
      lockedSettings: {},
      hostName: context.settings.mailDomain,
      mailboxes: [],
      users: [],
      currentUserName: null,
      currentUserDefaultMailboxName: mailboxName,
    }),
  "GET /api/version": ({ version }) => jsonResponse({ version, infoVersion: `restante ${version}` }),
});

const path = "/hubs/notifications";

/** Response to the negotiation: JSON over web sockets, without other transports and the binary protocol. */
const negotiationRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  [`POST ${path}/negotiate`]: () => {
    const connectionId = randomUUID();
    const availableTransports = [{ transport: "WebSockets", transferFormats: ["Text"] }];
    return jsonResponse({ negotiateVersion: 1, connectionId, connectionToken: connectionId, availableTransports });
  },
});

/** Web socket of the hub. */
const notifications: CatcherSocket = { path, permission: "read", open: streamNotifications };

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

/** smtp4dev. */
export const smtp4dev: Catcher = {
  name: "smtp4dev",
  ignoresCase: true,
  routes: [...listRoutes, ...messageRoutes, ...partRoutes, ...changeRoutes, ...serverRoutes, ...negotiationRoutes],
  socket: notifications,
  respondUnmatched: ({ method, path, allowed }) => {
    const text = `restante does not have ${method.slice(0, 20)} ${path.slice(0, 200)} of smtp4dev`;
    return plainResponse(allowed.length === 0 ? 404 : 405, text);
  },
  // A text for unknown messages, else problem details (RFC 9457).
  toErrorBody: ({ code, row: { status } }, detail) =>
    code === "not_found"
      ? plainResponse(status, detail)
      : {
          ...jsonResponse({ title: code, status, detail }),
          headers: { "content-type": "application/problem+json; charset=utf-8" },
        },
};
