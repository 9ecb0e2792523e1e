import type { HttpResponse } from "../../http/http-response.ts";
import { releaseMessage } from "../../operations/messages/release-message.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { requireHead, requireId, requireMessage } from "./read-email.ts";
import { done } from "./responses.ts";

/** Relaying of an e-mail as it was received, to a recipient of the path or to its own ones; all must be verified. */
export function relayRoutes(prefix: string): readonly PeerRoute[] {
  const path = `${prefix}/email/:id/relay`;
  return [
    { method: "POST", path, permission: "send", respond: relay },
    { method: "POST", path: `${path}/:recipient`, permission: "send", respond: relay },
  ];
}

async function relay(call: PeerCall): Promise<HttpResponse> {
  const id = requireId(call);
  await requireMessage(call, id);
  const { principal, params } = call;
  const context = { ...call.context, gone: call.signal() };
  const { recipient } = params;
  const own = recipient === undefined ? (await requireHead(call, id)).metadata.rcptTo : [];
  const to = recipient === undefined ? own.flatMap(({ email }) => email ?? []) : [recipient];
  await releaseMessage(context, principal, { id, to, repeatKey: null });
  return done;
}
