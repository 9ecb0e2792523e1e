import { releaseMessage } from "../../operations/messages/release-message.ts";
import type { PeerRoute } from "../peer.ts";
import { badRequest, readObject } from "../read-json.ts";
import { resolveId } from "./get-message.ts";
import { ok } from "./responses.ts";

/** `POST /api/v1/message/:id/release`: sends a mail as it was received, to verified recipients. */
export const releaseRoute: PeerRoute = {
  method: "POST",
  path: "/api/v1/message/:id/release",
  permission: "send",
  respond: async (call) => {
    const { context, principal } = call;
    const id = await resolveId(call);
    const to = (await readObject(call, context.limits.jsonBodyBytesMax)).texts("To");
    if (to.length === 0) throw badRequest("No valid addresses found");
    await releaseMessage({ ...context, gone: call.signal() }, principal, { id, to, repeatKey: null });
    return ok;
  },
};
