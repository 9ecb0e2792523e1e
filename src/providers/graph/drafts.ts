/** Drafts: objects of the provider that expire, with their files as uploads. */
import { randomUUID } from "node:crypto";
import type { DraftAttachment, EmailDraft } from "../email.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { emailOf } from "../kit/emails.ts";
import { collectionOf } from "../kit/objects.ts";
import { Uploads } from "../kit/uploads.ts";
import { noContent, type ProviderResponse } from "../provider.ts";
import { rejection } from "./errors.ts";
import { graphIdOf, openMailbox, uuidOfGraphId } from "./ids.ts";
import type { AttachmentView, MessageView } from "./message.ts";
import {
  emptyFields,
  isMime,
  type MessageFields,
  readAttachment,
  readFields,
  readMembers,
  readMime,
} from "./request.ts";
import { resource } from "./response.ts";
import { submit } from "./submit.ts";

/** File of a draft; its content is an upload with the id of the file. */
export interface DraftFile extends AttachmentView {
  readonly pieces: readonly string[];
}

/** Draft as it is stored. */
export interface Draft extends MessageFields {
  readonly id: string;
  /** Address of the user, who is the sender unless {@link MessageFields.from} names another. */
  readonly user: string;
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly internetMessageId: string;
  readonly rootMessageId: string;
  readonly files: readonly DraftFile[];
  /** Whole mail, which is sent as it is; null for a draft of properties. */
  readonly mime: readonly string[] | null;
}

/** Lifetime of a draft after its last change, as that of uploads. */
const lifetimeMs = 86_400_000;

/** Returns the drafts of a caller. */
export const draftsOf = collectionOf<Draft>("draft");

/** Returns the contents of files. */
export function filesOf({ session, services }: Pick<Call, "session" | "services">): Uploads<null> {
  return new Uploads(session, "file", services.now);
}

/** Returns the options of a draft that was changed now. */
export function expiry({ services }: Pick<Call, "services">): { readonly expiresAt: number } {
  return { expiresAt: services.now() + lifetimeMs };
}

/** Returns the draft with an id; rejects without one. */
export async function openDraft(call: Pick<Call, "session">, id: string): Promise<Draft> {
  const draft = await draftsOf(call).find(uuidOfGraphId(id));
  if (draft === undefined) throw rejection("ErrorItemNotFound");
  return draft;
}

/** Returns the facts that the resource of a draft shows. */
export function draftView({ body, files, user, from, ...draft }: Draft): MessageView {
  const [text, html] = body.contentType === "html" ? [null, body.content] : [body.content, null];
  const attachments = files.map(({ pieces: _pieces, ...file }) => file);
  const sender = from ?? { name: "", address: user };
  return { ...draft, from: sender, text, html, attachments, isDraft: true, folderId: "drafts" };
}

/** Properties of a new draft besides those of a request. */
export interface NewDraft {
  readonly fields: MessageFields;
  readonly files?: readonly DraftAttachment[];
  readonly rootMessageId?: string | null;
  readonly mime?: { readonly raw: Uint8Array; readonly messageId: string } | null;
}

/** Stores a draft. */
export async function createDraftOf(
  call: Pick<Call, "session" | "services">,
  user: string,
  { fields, files = [], rootMessageId = null, mime = null }: NewDraft,
): Promise<Draft> {
  const uuid = randomUUID();
  const now = call.services.now();
  const ownId = mime?.messageId || `<${uuid}@${user.slice(user.lastIndexOf("@") + 1)}>`;
  const stored: DraftFile[] = [];
  for (const file of files) stored.push(await storeFile(call, file));
  const draft: Draft = {
    ...fields,
    id: graphIdOf(uuid),
    user,
    createdAt: now,
    modifiedAt: now,
    internetMessageId: ownId,
    rootMessageId: rootMessageId ?? ownId.replaceAll(/[<>]/g, ""),
    files: stored,
    mime: mime === null ? null : await storeBytes(call, randomUUID(), mime.raw),
  };
  await draftsOf(call).create(uuid, draft, expiry(call));
  return draft;
}

/** Stores a file of a draft. */
export async function storeFile(
  call: Pick<Call, "session" | "services">,
  { fileName, contentType, content, contentId, isInline }: DraftAttachment,
): Promise<DraftFile> {
  const uuid = randomUUID();
  const pieces = await storeBytes(call, uuid, content);
  const file = { id: graphIdOf(uuid), name: fileName ?? "", contentType, contentId, isInline };
  return { ...file, size: content.byteLength, pieces };
}

async function storeBytes(
  call: Pick<Call, "session" | "services">,
  uuid: string,
  bytes: Uint8Array,
): Promise<readonly string[]> {
  const files = filesOf(call);
  await files.open(uuid, null);
  return (await files.append(uuid, { start: 0, bytes }))?.pieces ?? [];
}

/** Creates a draft of a message resource or a mail in MIME: `POST /messages`. */
export const createDraft: Handler = async (call) => {
  const { address } = await openMailbox(call);
  const draft = await createDraftOf(call, address, isMime(call.request) ? ofMime(call) : ofMessage(call));
  return resource(call, 201, draftView(draft));
};

function ofMessage({ request }: Pick<Call, "request">): NewDraft {
  const message = readMembers(request);
  return { fields: readFields(message, emptyFields), files: message.objects("attachments").map(readAttachment) };
}

function ofMime({ request }: Pick<Call, "request">): NewDraft {
  const { subject, from, to, cc, bcc, raw, messageId } = readMime(request);
  return { fields: { ...emptyFields, subject, from: from[0] ?? null, to, cc, bcc }, mime: { raw, messageId } };
}

/** Changes the properties of a draft. Rejects without one. */
export async function updateDraft(call: Call, id: string): Promise<ProviderResponse> {
  await openMailbox(call);
  const message = readMembers(call.request);
  const changed = await changeDraft(call, id, (draft) => ({ ...draft, ...readFields(message, draft) }));
  return resource(call, 200, draftView(changed));
}

/** Replaces a draft by what `change` returns for it; rejects without one. */
export async function changeDraft(
  call: Pick<Call, "session" | "services">,
  id: string,
  change: (draft: Draft) => Draft,
): Promise<Draft> {
  const modifiedAt = call.services.now();
  const changed = await draftsOf(call).change(
    uuidOfGraphId(id),
    (draft) => ({ ...change(draft), modifiedAt }),
    expiry(call),
  );
  if (changed === undefined) throw rejection("ErrorItemNotFound");
  return changed;
}

/** Removes a draft with its files; rejects without one. */
export async function removeDraft(call: Pick<Call, "session" | "services">, id: string): Promise<ProviderResponse> {
  const draft = await openDraft(call, id);
  await draftsOf(call).remove(uuidOfGraphId(id));
  const files = filesOf(call);
  for (const file of draft.files) await files.discard(uuidOfGraphId(file.id), file);
  return noContent;
}

/** Sends a draft, which is removed then: `POST /messages/:id/send`. */
export const sendDraft: Handler = async (call) =>
  sendDraftOf(call, await openDraft(call, call.request.params["id"] ?? ""));

/** Sends a draft, and removes it. */
export async function sendDraftOf(call: Call, draft: Draft): Promise<ProviderResponse> {
  const { user, mime, internetMessageId: messageId, to, cc, bcc, sendAt, categories: tags } = draft;
  const from = draft.from ?? { name: "", address: user };
  const files = filesOf(call);
  const identify = (uuid: string) => ({ providerId: graphIdOf(uuid), messageId });
  const recipients = [...to, ...cc, ...bcc].map(({ address }) => address);
  const raw = mime === null ? null : await files.read({ pieces: mime });
  const attachments: DraftAttachment[] = [];
  for (const file of draft.files) {
    attachments.push({ ...file, fileName: file.name, content: await files.read(file) });
  }
  const email = emailOf(emailDraftOf(draft, from, attachments), { tags, sendAt, identify });
  const response = await submit(call, {
    email: raw === null ? email : { ...email, content: raw, recipients },
    savesCopy: true,
  });
  await removeDraft(call, draft.id);
  return response;
}

/** Returns the mail of a message resource. */
export function emailDraftOf(
  fields: MessageFields,
  from: EmailDraft["from"],
  attachments: readonly DraftAttachment[],
): EmailDraft {
  const { body, to, cc, bcc, replyTo, subject, importance } = fields;
  const isHtml = body.contentType === "html";
  const priority = importance === "normal" ? [] : [["Importance", importance] as const];
  return {
    from,
    to,
    cc,
    bcc,
    replyTo,
    subject,
    text: isHtml ? null : body.content,
    html: isHtml ? body.content : null,
    headers: [...priority, ...fields.headers],
    attachments,
  };
}
