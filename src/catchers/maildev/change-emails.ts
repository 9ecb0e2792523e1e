import { jsonResponse } from "../../http/http-response.ts";
import { deleteMessages, emptyMailbox, markAllRead } from "../change-mailbox.ts";
import { countMessages } from "../mailbox.ts";
import { catcherRoutes, type CatcherRoute } from "../catcher.ts";
import { badRequest, readObject } from "../read-json.ts";
import { parseReceivedId } from "../received-message.ts";
import { done } from "./one-email.ts";

/** Ids of one deletion. */
const deletedCountMax = 1000;

/** Deletion and the read marks of all e-mails. */
export function changeRoutes(prefix: string): readonly CatcherRoute[] {
  return catcherRoutes("manage", {
    [`DELETE ${prefix}/email/all`]: async (call) => {
      await emptyMailbox(call);
      return done;
    },
    [`PATCH ${prefix}/email/read-all`]: async (call) => {
      const { unread } = await countMessages(call);
      await markAllRead(call);
      return jsonResponse(unread);
    },
  });
}

/** `POST /email/delete` of version 3: deletes some e-mails. */
export const deletionRoutes: readonly CatcherRoute[] = catcherRoutes("manage", {
  "POST /api/email/delete": async (call) => {
    const body = await readObject(call, call.context.limits.jsonBodyBytesMax);
    const ids = [...new Set(body.texts("ids"))];
    if (ids.length === 0 || ids.some((id) => id.trim() === "")) {
      throw badRequest("Request body must include an ids array of email IDs");
    }
    if (ids.length > deletedCountMax) throw badRequest(`ids must have at most ${deletedCountMax} elements`);
    const deleted: string[] = [];
    for (const text of ids) {
      const id = parseReceivedId(call, text);
      if (id !== undefined && (await call.context.store.getDetail(id)) !== undefined) deleted.push(id);
    }
    await deleteMessages(call, deleted);
    return jsonResponse({ deleted, notFound: ids.filter((id) => !deleted.includes(id)) });
  },
});
