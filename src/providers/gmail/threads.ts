/** Threads of mails with the same base subject that refer to each other. */
import { digitsOfUuid } from "../formats/uuid.ts";
import type { MarkChange } from "../../core/marks.ts";
import type { MessageId } from "../../core/ids.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse, noContent } from "../provider.ts";
import { notFoundEntity } from "./errors.ts";
import { fromTrash, readChange, toTrash } from "./messages.ts";
import { formatOf, mailResource } from "./resource.ts";
import { idOf, idsOf, listMails, openUser, type User } from "./user.ts";

/** `GET /threads` */
export const listThreads: Handler = async (call) => {
  const user = await openUser(call);
  const { ids, nextPageToken, resultSizeEstimate } = await listMails(user, call);
  const newest = new Map<string, MessageId>();
  for (const mail of await user.mailbox.readHeads(ids)) {
    const { threadId } = await idsOf(user, mail);
    if (!newest.has(threadId)) newest.set(threadId, mail.id);
  }
  const threads: JsonObject[] = [];
  for (const [id, mail] of newest) {
    const { excerpt, sequence } = await user.mailbox.outline(mail);
    threads.push({ id, snippet: excerpt, historyId: String(sequence) });
  }
  return jsonResponse(200, {
    ...(threads.length > 0 && { threads }),
    ...(nextPageToken !== null && { nextPageToken }),
    resultSizeEstimate,
  });
};

/** Returns the ids of the mails in a thread, the oldest first. */
async function membersOf({ mailbox }: User, thread: MessageId): Promise<readonly MessageId[]> {
  return onProblem("not_found", mailbox.thread(thread), notFoundEntity);
}

/** `GET /threads/:id` */
export const getThread: Handler = async (call) => {
  const { params, fields } = call.request;
  const format = formatOf(fields);
  const user = await openUser(call);
  const id = idOf(params["id"] ?? "");
  const messages: JsonObject[] = [];
  for (const mail of await user.mailbox.readHeads(await membersOf(user, id))) {
    messages.push({ ...(await mailResource(user, mail, format)), threadId: digitsOfUuid(id) });
  }
  const historyId = String(Math.max(0, ...messages.map((one) => Number(one["historyId"]))));
  return jsonResponse(200, { id: digitsOfUuid(id), historyId, messages });
};

/** Returns the handler of a change of all mails in a thread. */
function changing(changeOf: (user: User, body: Uint8Array) => MarkChange): Handler {
  return async (call) => {
    const user = await openUser(call);
    const id = idOf(call.request.params["id"] ?? "");
    const change = changeOf(user, call.request.body);
    await user.mailbox.mark(await membersOf(user, id), change);
    return jsonResponse(200, { id: digitsOfUuid(id) });
  };
}

/** `POST /threads/:id/modify` */
export const modifyThread: Handler = changing(readChange);
/** `POST /threads/:id/trash` */
export const trashThread: Handler = changing(() => toTrash);
/** `POST /threads/:id/untrash` */
export const untrashThread: Handler = changing(() => fromTrash);

/** `DELETE /threads/:id` */
export const deleteThread: Handler = async (call) => {
  const user = await openUser(call);
  for (const id of await membersOf(user, idOf(call.request.params["id"] ?? ""))) await user.mailbox.remove(id);
  return noContent;
};
