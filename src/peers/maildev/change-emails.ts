import { decodeMessageId, parseMessageId } from "../../core/ids.ts";
import { jsonResponse } from "../../http/http-response.ts";
import { emptyServer } from "../../operations/messages/empty-server.ts";
import { changeMarks, countMessages, deleteMessages, forAllMessages } from "../mailbox.ts";
import type { PeerRoute } from "../peer.ts";
import { badRequest, readObject } from "../read-json.ts";
import { requireId, requireMessage } from "./read-email.ts";
import { done } from "./responses.ts";

const permission = "manage";
/** Ids of one deletion. */
const deletedCountMax = 1000;

/** Deletion, and the read marks of all e-mails. */
export function changeRoutes(prefix: string): readonly PeerRoute[] {
  return [
    {
      method: "DELETE",
      path: `${prefix}/email/all`,
      permission,
      respond: async ({ context, principal, server, record }) => {
        await emptyServer(context, principal, server);
        await record("server.empty", { target: server });
        return done;
      },
    },
    {
      method: "DELETE",
      path: `${prefix}/email/:id`,
      permission,
      respond: async (call) => {
        const id = requireId(call);
        await requireMessage(call, id);
        await deleteMessages(call, [id]);
        return done;
      },
    },
    {
      method: "PATCH",
      path: `${prefix}/email/read-all`,
      permission,
      respond: async (call) => {
        const { unread } = await countMessages(call);
        await forAllMessages(call, async (ids) => changeMarks(call, ids, { addFlags: ["seen"] }));
        return jsonResponse(unread);
      },
    },
  ];
}

/** `POST /email/delete` of version 3: deletes some e-mails. */
export const deleteSomeRoute: PeerRoute = {
  method: "POST",
  path: "/api/email/delete",
  permission,
  respond: async (call) => {
    const body = await readObject(call, call.context.limits.jsonBodyBytesMax);
    const ids = [...new Set(body.texts("ids"))];
    if (ids.length === 0 || ids.some((id) => id.trim() === "")) {
      throw badRequest("Request body must include an ids array of email IDs");
    }
    if (ids.length > deletedCountMax) throw badRequest(`ids must have at most ${deletedCountMax} elements`);
    const deleted: string[] = [];
    for (const text of ids) {
      const id = parseMessageId(text);
      if (id === undefined || decodeMessageId(id).server !== call.server) continue;
      if (decodeMessageId(id).direction === "Received" && (await call.context.store.getDetail(id)) !== undefined) {
        deleted.push(id);
      }
    }
    await deleteMessages(call, deleted);
    return jsonResponse({ deleted, notFound: ids.filter((id) => !deleted.includes(id)) });
  },
};
