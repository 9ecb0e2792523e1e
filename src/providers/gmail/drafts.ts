/** Drafts: mails with the flag `draft`. A draft keeps its id when its mail is replaced. */
import type { MessageId } from "../../core/ids.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { digitsOfUuid } from "../formats/uuid.ts";
import type { Handler } from "../kit/endpoints.ts";
import { collectionOf } from "../kit/objects.ts";
import type { MailboxMessage } from "../mailbox.ts";
import { invalidArgument, notFoundEntity } from "./errors.ts";
import { formatOf, idsOf, listed, listMails, mailReference, mailResource, openMail } from "./mails.ts";
import { type GivenMail, withMail } from "./request.ts";
import { mailOf, placeMail, sendMail } from "./send.ts";
import { forUser, idOf, pathId, type User } from "./user.ts";

/** Mails of the drafts whose mail was replaced; the id of any other draft is that of its mail. */
const replacedDrafts = collectionOf<MessageId>("draft");

function draftIdOf(mail: MessageId): string {
  return `r${digitsOfUuid(mail)}`;
}

async function openDraft(user: User, id: string): Promise<MailboxMessage> {
  if (!/^r[0-9a-f]{32}$/.test(id)) throw notFoundEntity();
  const replaced = await replacedDrafts(user).find(id);
  const mail = await openMail(user, replaced ?? idOf(id.slice(1)));
  if (!mail.marks.flags.includes("draft")) throw notFoundEntity();
  return mail;
}

/** Returns the mail of a draft in a request: the member `message` of JSON, or the upload. */
function mailOfDraft({ members, raw }: GivenMail): Uint8Array {
  if (raw === null && members.object("message") === null) throw invalidArgument("Missing draft message");
  return mailOf({ members: members.inside("message"), raw });
}

/** `POST /drafts` */
export const createDraft: Handler = withMail(async (user, given) => {
  const id = await placeMail(user, mailOfDraft(given), ["DRAFT"]);
  return { id: draftIdOf(id), message: await mailReference(user, await openMail(user, id)) };
});

/** `PUT /drafts/:id` */
export const updateDraft: Handler = withMail(async (user, given) => {
  const raw = mailOfDraft(given);
  const id = pathId(user);
  const before = await openDraft(user, id);
  const mail = await placeMail(user, raw, ["DRAFT"]);
  await replacedDrafts(user).put(id, mail);
  await user.mailbox.remove(before.id);
  return { id, message: await mailReference(user, await openMail(user, mail)) };
});

/** `GET /drafts` */
export const listDrafts: Handler = forUser(async (user) => {
  const { mails, ...page } = await listMails(user, ["DRAFT"]);
  const replaced = new Map((await replacedDrafts(user).objects()).map(({ id, value }) => [value, id]));
  const drafts: JsonObject[] = [];
  for (const mail of mails) {
    drafts.push({ id: replaced.get(mail.id) ?? draftIdOf(mail.id), message: await idsOf(user, mail) });
  }
  return listed("drafts", drafts, page);
});

/** `GET /drafts/:id` */
export const getDraft: Handler = forUser(async (user) => {
  const format = formatOf(user);
  const id = pathId(user);
  return { id, message: await mailResource(user, await openDraft(user, id), format) };
});

/** `DELETE /drafts/:id` */
export const deleteDraft: Handler = forUser(async (user) => removeDraft(user, pathId(user)));

async function removeDraft(user: User, id: string): Promise<void> {
  await user.mailbox.remove((await openDraft(user, id)).id);
  await replacedDrafts(user).remove(id);
}

/** `POST /drafts/send`: sends the mail of a draft, or the one in the request, and removes the draft. */
export const sendDraft: Handler = withMail(async (user, given) => {
  const id = given.members.text("id");
  const message = given.members.value("message");
  const isGiven = given.raw !== null || (isJsonObject(message) && typeof message["raw"] === "string");
  if (id === null && !isGiven) throw invalidArgument("Missing draft message");
  const draft = id === null ? null : await openDraft(user, id);
  const raw = isGiven || draft === null ? mailOfDraft(given) : await user.mailbox.getRaw(draft.id);
  const sent = await sendMail(user, raw);
  if (id !== null) await removeDraft(user, id);
  return sent;
});
