import { readFormInTurns } from "../../core/read-form.ts";
import { releaseMessage } from "../../operations/messages/reply-to-message.ts";
import { changeMarks, deleteMessages, emptyMailbox, forAllMessages } from "../change-mailbox.ts";
import { type CatcherRoute, catcherRoutes } from "../catcher.ts";
import { badRequest, parseObject, readObject } from "../read-json.ts";
import { readingContext } from "../received-message.ts";
import { resolveId } from "./get-message.ts";
import { forAllFound } from "./search.ts";
import { ok } from "./shapes.ts";

const path = "/api/v1/messages";

/** Read marks and deletion of some or all messages, and the release of one as it was received, to verified recipients. */
export const changeRoutes: readonly CatcherRoute[] = [
  ...catcherRoutes("manage", {
    // Marks messages as read or unread: some, those of a search, or all.
    [`PUT ${path}`]: async (call) => {
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
    // Deletes some messages, or all when the body names none; as in Mailpit, also when it cannot be read.
    [`DELETE ${path}`]: async (call) => {
      const bytes = await call.readBody(call.context.limits.jsonBodyBytesMax);
      const ids = await readIds(bytes, call.headers["content-type"] ?? "");
      if (ids.length > 0) await deleteMessages(call, ids);
      else await emptyMailbox(call);
      return ok;
    },
  }),
  ...catcherRoutes("send", {
    "POST /api/v1/message/:id/release": async (call) => {
      const id = await resolveId(call);
      const to = (await readObject(call, call.context.limits.jsonBodyBytesMax)).texts("To");
      if (to.length === 0) throw badRequest("No valid addresses found");
      await releaseMessage(readingContext(call), call.principal, { id, to, repeatKey: null });
      return ok;
    },
  }),
];

/** Returns the ids of a body; of a form too, which the client `mailpit-api-client` sends, and of which Mailpit reads nothing. */
async function readIds(bytes: Uint8Array, contentType: string): Promise<readonly string[]> {
  if (bytes.byteLength === 0) return [];
  if (!contentType.startsWith("application/x-www-form-urlencoded")) return parseObject(bytes).texts("IDs");
  const fields = await readFormInTurns(bytes);
  return fields.flatMap(([name, value]) => (name === "ids" ? [value] : []));
}
