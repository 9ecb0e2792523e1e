import { readFormInTurns } from "../../core/read-form.ts";
import { emptyServer } from "../../operations/messages/empty-server.ts";
import { changeMarks, deleteMessages, forAllMessages } from "../mailbox.ts";
import type { PeerRoute } from "../peer.ts";
import { badRequest, parseObject, readObject } from "../read-json.ts";
import { ok } from "./responses.ts";
import { forAllFound } from "./search.ts";

const path = "/api/v1/messages";

/** `PUT /api/v1/messages`: marks messages as read or unread: some, those of a search, or all. */
export const setReadStatusRoute: PeerRoute = {
  method: "PUT",
  path,
  permission: "manage",
  respond: async (call) => {
    const body = await readObject(call, call.context.limits.jsonBodyBytesMax);
    const ids = body.texts("IDs");
    const search = body.text("Search");
    const change = body.flag("Read") ? { addFlags: ["seen"] as const } : { removeFlags: ["seen"] as const };
    const mark = async (marked: readonly string[]): Promise<void> => changeMarks(call, marked, change);
    if (ids.length > 0 && search !== "") {
      throw badRequest("You may specify either IDs or a search query, not both");
    }
    if (search !== "") await forAllFound(call, search, mark);
    else if (ids.length > 0) await mark(ids);
    else await forAllMessages(call, mark);
    return ok;
  },
};

/** `DELETE /api/v1/messages`: deletes some messages, or all when the body names none. */
export const deleteMessagesRoute: PeerRoute = {
  method: "DELETE",
  path,
  permission: "manage",
  respond: async (call) => {
    const { context, principal, server } = call;
    // Mailpit deletes all messages for a body that it cannot read, too.
    const ids = await readIds(await call.readBody(context.limits.jsonBodyBytesMax), call.headers["content-type"] ?? "");
    if (ids.length > 0) {
      await deleteMessages(call, ids);
      return ok;
    }
    await emptyServer(context, principal, server);
    await call.record("server.empty", { target: server });
    return ok;
  },
};

/** Returns the ids of a body; of a form too, which the client `mailpit-api-client` sends, and of which Mailpit reads nothing. */
async function readIds(bytes: Uint8Array, contentType: string): Promise<readonly string[]> {
  if (bytes.byteLength === 0) return [];
  if (!contentType.startsWith("application/x-www-form-urlencoded")) return parseObject(bytes).texts("IDs");
  const fields = await readFormInTurns(bytes);
  return fields.flatMap(([name, value]) => (name === "ids" ? [value] : []));
}
