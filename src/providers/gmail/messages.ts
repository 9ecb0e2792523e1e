/** Mails of a mailbox, and threads of mails with the same base subject that refer to each other. */
import type { MessageId } from "../../core/ids.ts";
import { markedMessageCountMax } from "../../core/limits.ts";
import type { MarkChange } from "../../core/marks.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { invalidArgument, notFoundEntity } from "./errors.ts";
import { formatOf, idsOf, listed, listMails, mailReference, mailResource, openMail } from "./mails.ts";
import { bytesText, readAttachment } from "./payload.ts";
import { readBody, textsOf } from "./request.ts";
import { forUser, idOf, pathId, type User } from "./user.ts";

/** `GET /messages` */
export const listMessages: Handler = forUser(async (user) => {
  const { mails, ...page } = await listMails(user);
  const messages: JsonObject[] = [];
  for (const mail of mails) messages.push({ ...(await idsOf(user, mail)) });
  return listed("messages", messages, page);
});

/** `GET /messages/:id` */
export const getMessage: Handler = forUser(async (user) => {
  const format = formatOf(user);
  return mailResource(user, await openMail(user, idOf(pathId(user))), format);
});

/** `GET /messages/:messageId/attachments/:id` */
export const getAttachment: Handler = forUser(async ({ mailbox, request }) => {
  const { messageId = "", id = "" } = request.params;
  const raw = await onProblem("not_found", mailbox.getRaw(idOf(messageId)), notFoundEntity);
  const content = readAttachment(raw, id);
  if (content === undefined) throw invalidArgument("Invalid attachment token");
  return { size: content.byteLength, data: bytesText(content) };
});

/** Returns the change of marks that a request asks for. */
type ChangeReader = (user: User) => MarkChange;

/** Reads `addLabelIds` and `removeLabelIds`. */
const readChange: ChangeReader = ({ labels, request }) => {
  const members = readBody(request.body);
  const [added, removed] = [textsOf(members, "addLabelIds"), textsOf(members, "removeLabelIds")];
  if (added.length + removed.length === 0) throw invalidArgument("No label add or removes specified");
  return labels.changeOf(added, removed);
};
const toTrash: ChangeReader = () => ({ addFlags: ["deleted"] });
const fromTrash: ChangeReader = () => ({ removeFlags: ["deleted"] });

/** Returns the handler of a change of one mail, which it shows afterwards. */
function changingMessage(changeOf: ChangeReader): Handler {
  return forUser(async (user) => {
    const { id } = await openMail(user, idOf(pathId(user)));
    await user.mailbox.mark([id], changeOf(user));
    return mailReference(user, await openMail(user, id));
  });
}

/** `POST /messages/:id/modify` */
export const modifyMessage: Handler = changingMessage(readChange);
/** `POST /messages/:id/trash` */
export const trashMessage: Handler = changingMessage(toTrash);
/** `POST /messages/:id/untrash` */
export const untrashMessage: Handler = changingMessage(fromTrash);

/** `DELETE /messages/:id` */
export const deleteMessage: Handler = forUser(async (user) => user.mailbox.remove(idOf(pathId(user))));

/** `POST /messages/batchModify` */
export const batchModify: Handler = forUser(async (user) => user.mailbox.mark(readIds(user), readChange(user)));

/** `POST /messages/batchDelete` */
export const batchDelete: Handler = forUser(async (user) => user.mailbox.removeEach(readIds(user)));

function readIds({ request }: User): readonly MessageId[] {
  const ids = textsOf(readBody(request.body), "ids");
  if (ids.length === 0) throw invalidArgument("No message ids specified");
  if (ids.length > markedMessageCountMax) throw invalidArgument("Too many message ids specified");
  return ids.map(idOf);
}

/** `GET /threads` */
export const listThreads: Handler = forUser(async (user) => {
  const { mails, ...page } = await listMails(user);
  const newest = new Map<string, MessageId>();
  for (const mail of mails) {
    const { threadId } = await idsOf(user, mail);
    if (!newest.has(threadId)) newest.set(threadId, mail.id);
  }
  const threads: JsonObject[] = [];
  for (const [id, mail] of newest) {
    const { excerpt, sequence } = await user.mailbox.outline(mail);
    threads.push({ id, snippet: excerpt, historyId: String(sequence) });
  }
  return listed("threads", threads, page);
});

/** Returns the ids of the mails in the thread of the path, the oldest first. */
async function threadOf(user: User): Promise<readonly MessageId[]> {
  return onProblem("not_found", user.mailbox.thread(idOf(pathId(user))), notFoundEntity);
}

/** `GET /threads/:id` */
export const getThread: Handler = forUser(async (user) => {
  const format = formatOf(user);
  const id = pathId(user);
  const messages: JsonObject[] = [];
  for (const mail of await user.mailbox.readHeads(await threadOf(user))) {
    messages.push({ ...(await mailResource(user, mail, format)), threadId: id });
  }
  const historyId = String(Math.max(0, ...messages.map((one) => Number(one["historyId"]))));
  return { id, historyId, messages };
});

/** Returns the handler of a change of all mails in a thread. */
function changingThread(changeOf: ChangeReader): Handler {
  return forUser(async (user) => {
    const change = changeOf(user);
    await user.mailbox.mark(await threadOf(user), change);
    return { id: pathId(user) };
  });
}

/** `POST /threads/:id/modify` */
export const modifyThread: Handler = changingThread(readChange);
/** `POST /threads/:id/trash` */
export const trashThread: Handler = changingThread(toTrash);
/** `POST /threads/:id/untrash` */
export const untrashThread: Handler = changingThread(fromTrash);

/** `DELETE /threads/:id` */
export const deleteThread: Handler = forUser(async (user) => {
  for (const id of await threadOf(user)) await user.mailbox.remove(id);
});

/** `GET /profile` */
export const getProfile: Handler = forUser(async ({ mailbox }) => {
  const all = { expression: { kind: "always" }, direction: null } as const;
  const { cursor } = await mailbox.list({ ...all, top: 1 });
  const count = await mailbox.count(all);
  const historyId = String(cursor);
  return { emailAddress: mailbox.address, messagesTotal: count, threadsTotal: count, historyId };
});
