/** Drafts: objects of the provider that expire, with their files as uploads. */
import { randomUUID } from "node:crypto";
import type { DraftAttachment } from "../email.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { collectionOf } from "../kit/objects.ts";
import { Uploads } from "../kit/uploads.ts";
import { noContent, type ProviderResponse } from "../provider.ts";
import { rejection } from "./errors.ts";
import { graphIdOf, openMailbox, uuidOfGraphId } from "./ids.ts";
import type { AttachmentView, MessageView } from "./message.ts";
import { type GivenMail, isMime, readFields, readMembers, readMessage, readMime } from "./request.ts";
import { resource } from "./response.ts";

/** File of a draft; its content is an upload with the id of the file. */
export interface DraftFile extends AttachmentView {
  readonly pieces: readonly string[];
}

/** Draft as it is stored and shown. */
export interface Draft extends MessageView {
  readonly attachments: readonly DraftFile[];
  /** Whole mail, which is sent as it is; null for a draft of properties. */
  readonly mime: readonly string[] | null;
}

/** Lifetime of a draft after its last change, as that of uploads. */
const lifetimeMs = 86_400_000;

/** Returns the drafts of a caller. */
export const draftsOf = collectionOf<Draft>("draft");

type Storing = Pick<Call, "session" | "services">;

/** Returns the contents of files. */
export function filesOf({ session, services }: Storing): Uploads<null> {
  return new Uploads(session, "file", services.now);
}

/** Returns the draft with an id; rejects without one. */
export async function openDraft(call: Pick<Call, "session">, id: string): Promise<Draft> {
  return draftsOf(call).open(uuidOfGraphId(id), () => rejection("ErrorItemNotFound"));
}

/** Stores a draft; the Message-ID of its thread is its own for null. */
export async function createDraftOf(
  call: Storing,
  user: string,
  { fields, files, mime, rootMessageId = null }: GivenMail & { readonly rootMessageId?: string | null },
): Promise<Draft> {
  const { now } = call.services;
  const uuid = randomUUID();
  const ownId = mime?.messageId || `<${uuid}@${user.slice(user.lastIndexOf("@") + 1)}>`;
  const stored: DraftFile[] = [];
  for (const file of files) stored.push(await storeFile(call, file));
  const draft: Draft = {
    ...fields,
    id: graphIdOf(uuid),
    from: fields.from ?? { name: "", address: user },
    createdAt: now(),
    modifiedAt: now(),
    isDraft: true,
    folderId: "drafts",
    internetMessageId: ownId,
    rootMessageId: rootMessageId ?? ownId.replaceAll(/[<>]/g, ""),
    attachments: stored,
    mime: mime === null ? null : await storeBytes(call, randomUUID(), mime.raw),
  };
  await draftsOf(call).create(uuid, draft, { expiresAt: now() + lifetimeMs });
  return draft;
}

/** Stores a file of a draft. */
export async function storeFile(
  call: Storing,
  { fileName, contentType, content, contentId, isInline }: DraftAttachment,
): Promise<DraftFile> {
  const uuid = randomUUID();
  const pieces = await storeBytes(call, uuid, content);
  const size = content.byteLength;
  return { id: graphIdOf(uuid), name: fileName ?? "", contentType, contentId, isInline, size, pieces };
}

async function storeBytes(call: Storing, uuid: string, bytes: Uint8Array): Promise<readonly string[]> {
  const files = filesOf(call);
  await files.open(uuid, null);
  return (await files.append(uuid, { start: 0, bytes }))?.pieces ?? [];
}

/** Creates a draft of a message resource or a mail in MIME: `POST /messages`. */
export const createDraft: Handler = async (call) => {
  const { request } = call;
  const { address } = await openMailbox(call);
  const given = isMime(request) ? readMime(request) : readMessage(readMembers(request));
  return resource(call, 201, await createDraftOf(call, address, given));
};

/** Changes the properties of a draft. Rejects without one. */
export async function updateDraft(call: Call, id: string): Promise<ProviderResponse> {
  await openMailbox(call);
  const message = readMembers(call.request);
  return resource(call, 200, await changeDraft(call, id, (draft) => ({ ...draft, ...readFields(message, draft) })));
}

/** Replaces a draft by what `change` returns for it; rejects without one. */
export async function changeDraft(call: Storing, id: string, change: (draft: Draft) => Draft): Promise<Draft> {
  const modifiedAt = call.services.now();
  const replaced = (draft: Draft): Draft => ({ ...change(draft), modifiedAt });
  const changed = await draftsOf(call).change(uuidOfGraphId(id), replaced, { expiresAt: modifiedAt + lifetimeMs });
  if (changed === undefined) throw rejection("ErrorItemNotFound");
  return changed;
}

/** Removes a draft with its files; rejects without one. */
export async function removeDraft(call: Storing, id: string): Promise<ProviderResponse> {
  const draft = await openDraft(call, id);
  await draftsOf(call).remove(uuidOfGraphId(id));
  for (const file of draft.attachments) await filesOf(call).discard(uuidOfGraphId(file.id), file);
  return noContent;
}
