import type { PeerRoute } from "../peer.ts";
import { requireId, requireMessage } from "./read-email.ts";
import { failure } from "./responses.ts";

/** Relaying of an e-mail, which is off as in a MailDev without a relay. */
export function relayRoutes(prefix: string): readonly PeerRoute[] {
  const path = `${prefix}/email/:id/relay`;
  const respond: PeerRoute["respond"] = async (call) => {
    await requireMessage(call, requireId(call));
    return failure(500, "Outgoing mail not configured");
  };
  return [
    { method: "POST", path, permission: "send", respond },
    { method: "POST", path: `${path}/:recipient`, permission: "send", respond },
  ];
}
