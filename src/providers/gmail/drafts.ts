/** Drafts: mails with the flag `draft`. A draft keeps its id when its mail is replaced. */
import { digitsOfUuid } from "../formats/uuid.ts";
import type { MessageId } from "../../core/ids.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { isJsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { collectionOf } from "../kit/objects.ts";
import type { MailboxMessage } from "../mailbox.ts";
import { jsonResponse, noContent } from "../provider.ts";
import { invalidArgument, notFoundEntity } from "./errors.ts";
import { readBody, type GivenMail, withMail } from "./request.ts";
import { formatOf, mailReference, mailResource } from "./resource.ts";
import { mailOf, placeMail, sendMail } from "./send.ts";
import { idOf, idsOf, listMails, openMail, openUser, type User } from "./user.ts";

/** Mails of the drafts whose mail was replaced; the id of any other draft is that of its mail. */
const replacedDrafts = collectionOf<MessageId>("draft");

function draftIdOf(mail: MessageId): string {
  return `r${digitsOfUuid(mail)}`;
}

async function openDraft(call: Pick<Call, "session">, user: User, id: string): Promise<MailboxMessage> {
  if (!/^r[0-9a-f]{32}$/.test(id)) throw notFoundEntity();
  const replaced = await replacedDrafts(call).find(id);
  const mail = await openMail(user, replaced ?? idOf(id.slice(1)));
  if (!mail.marks.flags.includes("draft")) throw notFoundEntity();
  return mail;
}

/** Returns the mail of a draft in a request: the member `message` of JSON, or the upload. */
function mailOfDraft({ members, raw }: GivenMail): Uint8Array {
  const message = members.object("message");
  if (raw === null && message === null) throw invalidArgument("Missing draft message");
  return mailOf({ members: readBody(Buffer.from(JSON.stringify(message ?? {}))), raw });
}

/** `POST /drafts` */
export const createDraft: Handler = withMail(async (call, given) => {
  const raw = mailOfDraft(given);
  const user = await openUser(call);
  const id = await placeMail(user, raw, ["DRAFT"]);
  return jsonResponse(200, { id: draftIdOf(id), message: await mailReference(user, await openMail(user, id)) });
});

/** `PUT /drafts/:id` */
export const updateDraft: Handler = withMail(async (call, given) => {
  const raw = mailOfDraft(given);
  const user = await openUser(call);
  const { id = "" } = call.request.params;
  return jsonResponse(200, await replaceDraft(call, user, { id, raw }));
});

async function replaceDraft(
  call: Pick<Call, "session">,
  user: User,
  { id, raw }: { readonly id: string; readonly raw: Uint8Array },
): Promise<JsonObject> {
  const before = await openDraft(call, user, id);
  const mail = await placeMail(user, raw, ["DRAFT"]);
  await replacedDrafts(call).put(id, mail);
  await user.mailbox.remove(before.id);
  return { id, message: await mailReference(user, await openMail(user, mail)) };
}

/** `GET /drafts` */
export const listDrafts: Handler = async (call) => {
  const user = await openUser(call);
  const { ids, nextPageToken, resultSizeEstimate } = await listMails(user, call, ["DRAFT"]);
  const replaced = new Map((await replacedDrafts(call).objects()).map(({ id, value }) => [value, id]));
  const drafts: JsonObject[] = [];
  for (const mail of await user.mailbox.readHeads(ids)) {
    drafts.push({ id: replaced.get(mail.id) ?? draftIdOf(mail.id), message: await idsOf(user, mail) });
  }
  return jsonResponse(200, {
    ...(drafts.length > 0 && { drafts }),
    ...(nextPageToken !== null && { nextPageToken }),
    resultSizeEstimate,
  });
};

/** `GET /drafts/:id` */
export const getDraft: Handler = async (call) => {
  const { params, fields } = call.request;
  const format = formatOf(fields);
  const user = await openUser(call);
  const { id = "" } = params;
  return jsonResponse(200, { id, message: await mailResource(user, await openDraft(call, user, id), format) });
};

/** `DELETE /drafts/:id` */
export const deleteDraft: Handler = async (call) => {
  const user = await openUser(call);
  await removeDraft(call, user, call.request.params["id"] ?? "");
  return noContent;
};

async function removeDraft(call: Pick<Call, "session">, user: User, id: string): Promise<void> {
  await user.mailbox.remove((await openDraft(call, user, id)).id);
  await replacedDrafts(call).remove(id);
}

/** `POST /drafts/send`: sends the mail of a draft, or the one in the request, and removes the draft. */
export const sendDraft: Handler = withMail(async (call, given) => {
  const user = await openUser(call);
  const id = given.members.text("id");
  const message = given.members.value("message");
  const own = given.raw !== null || (isJsonObject(message) && typeof message["raw"] === "string");
  if (id === null && !own) throw invalidArgument("Missing draft message");
  const draft = id === null ? null : await openDraft(call, user, id);
  const raw = own || draft === null ? mailOfDraft(given) : await user.mailbox.getRaw(draft.id);
  const sent = await sendMail(call, user, raw);
  if (id !== null) await removeDraft(call, user, id);
  return jsonResponse(200, sent);
});
