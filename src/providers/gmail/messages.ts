/** Mails of a mailbox. */
import { markedMessageCountMax } from "../../core/limits.ts";
import type { MarkChange } from "../../core/marks.ts";
import type { MessageId } from "../../core/ids.ts";
import type { Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse, noContent } from "../provider.ts";
import { invalidArgument, notFoundEntity } from "./errors.ts";
import { bytesText, readAttachment } from "./payload.ts";
import { readBody, textsOf } from "./request.ts";
import { formatOf, mailReference, mailResource } from "./resource.ts";
import { idOf, idsOf, listMails, openMail, openUser, type User } from "./user.ts";

/** `GET /messages` */
export const listMessages: Handler = async (call) => {
  const user = await openUser(call);
  const { ids, nextPageToken, resultSizeEstimate } = await listMails(user, call);
  const messages = [];
  for (const mail of await user.mailbox.readHeads(ids)) messages.push(await idsOf(user, mail));
  return jsonResponse(200, {
    ...(messages.length > 0 && { messages }),
    ...(nextPageToken !== null && { nextPageToken }),
    resultSizeEstimate,
  });
};

/** `GET /messages/:id` */
export const getMessage: Handler = async (call) => {
  const format = formatOf(call.request.fields);
  const user = await openUser(call);
  const mail = await openMail(user, idOf(call.request.params["id"] ?? ""));
  return jsonResponse(200, await mailResource(user, mail, format));
};

/** `GET /messages/:messageId/attachments/:id` */
export const getAttachment: Handler = async (call) => {
  const { messageId = "", id = "" } = call.request.params;
  const { mailbox } = await openUser(call);
  const raw = await onProblem("not_found", mailbox.getRaw(idOf(messageId)), notFoundEntity);
  const content = readAttachment(raw, id);
  if (content === undefined) throw invalidArgument("Invalid attachment token");
  return jsonResponse(200, { size: content.byteLength, data: bytesText(content) });
};

/** Returns the change that `addLabelIds` and `removeLabelIds` of a body ask for. */
export function readChange({ labels }: User, body: Uint8Array): MarkChange {
  const members = readBody(body);
  const [added, removed] = [textsOf(members, "addLabelIds"), textsOf(members, "removeLabelIds")];
  if (added.length + removed.length === 0) throw invalidArgument("No label add or removes specified");
  return labels.changeOf(added, removed);
}

/** Changes of marks that put mails into the trash, and take them out. */
export const toTrash: MarkChange = { addFlags: ["deleted"] };
/** As {@link toTrash}. */
export const fromTrash: MarkChange = { removeFlags: ["deleted"] };

/** Returns the handler of a change of one mail, which it shows afterwards. */
function changing(changeOf: (user: User, body: Uint8Array) => MarkChange): Handler {
  return async (call) => {
    const user = await openUser(call);
    const { id } = await openMail(user, idOf(call.request.params["id"] ?? ""));
    await user.mailbox.mark([id], changeOf(user, call.request.body));
    return jsonResponse(200, await mailReference(user, await openMail(user, id)));
  };
}

/** `POST /messages/:id/modify` */
export const modifyMessage: Handler = changing(readChange);
/** `POST /messages/:id/trash` */
export const trashMessage: Handler = changing(() => toTrash);
/** `POST /messages/:id/untrash` */
export const untrashMessage: Handler = changing(() => fromTrash);

/** `DELETE /messages/:id` */
export const deleteMessage: Handler = async (call) => {
  const { mailbox } = await openUser(call);
  await mailbox.remove(idOf(call.request.params["id"] ?? ""));
  return noContent;
};

/** `POST /messages/batchModify` */
export const batchModify: Handler = async (call) => {
  const user = await openUser(call);
  const { body } = call.request;
  await user.mailbox.mark(readIds(body), readChange(user, body));
  return noContent;
};

/** `POST /messages/batchDelete` */
export const batchDelete: Handler = async (call) => {
  const { mailbox } = await openUser(call);
  await mailbox.removeEach(readIds(call.request.body));
  return noContent;
};

function readIds(body: Uint8Array): readonly MessageId[] {
  const ids = textsOf(readBody(body), "ids");
  if (ids.length === 0) throw invalidArgument("No message ids specified");
  if (ids.length > markedMessageCountMax) throw invalidArgument("Too many message ids specified");
  return ids.map(idOf);
}

/** `GET /profile` */
export const getProfile: Handler = async (call) => {
  const { mailbox } = await openUser(call);
  const all = { expression: { kind: "always" }, direction: null } as const;
  const { cursor } = await mailbox.list({ ...all, top: 1 });
  const count = await mailbox.count(all);
  const historyId = String(cursor);
  return jsonResponse(200, { emailAddress: mailbox.address, messagesTotal: count, threadsTotal: count, historyId });
};
