/** Attachments of messages and drafts, and uploads of large ones. */
import { randomUUID } from "node:crypto";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { readContentRange, type Upload, Uploads } from "../kit/uploads.ts";
import { noContent, type ProviderResponse } from "../provider.ts";
import { changeDraft, type Draft, type DraftFile, draftsOf, filesOf, openDraft, storeFile } from "./drafts.ts";
import { rejection } from "./errors.ts";
import { messageIdOf, openMailbox, uuidOfGraphId } from "./ids.ts";
import { attachmentResource, type AttachmentView, viewOf } from "./message.ts";
import { objectOf, readAttachment, readFile, readMembers } from "./request.ts";
import { apiUrl, collection, contentOf, json } from "./response.ts";

/**
 * Opens the message or draft of the path. `read` returns the content of an attachment, and `show` its resource, with the content
 * unless `$select` leaves it out.
 */
async function openAttached(call: Call) {
  const mailbox = await openMailbox(call);
  const id = call.request.params["id"] ?? "";
  const draft = messageIdOf(id) === undefined ? await openDraft(call, id) : null;
  const { attachments, modifiedAt } = draft === null ? viewOf(await mailbox.get(uuidOfGraphId(id))) : draft;
  const read = async (one: AttachmentView): Promise<Uint8Array> => {
    const file = draft?.attachments.find((own) => own.id === one.id);
    return file === undefined ? contentOf(mailbox, one) : filesOf(call).read(file);
  };
  const names = fieldOf(call.request.fields, "$select")?.toLowerCase().split(",");
  const hasContent = names?.some((name) => name.trim().endsWith("contentbytes")) ?? true;
  const show = async (one: AttachmentView): Promise<JsonObject> =>
    attachmentResource(one, modifiedAt, hasContent ? await read(one) : null);
  return { attachments, read, show };
}

/** Lists attachments: `GET /messages/:id/attachments`. */
export const listAttachments: Handler = async (call) => {
  const { attachments, show } = await openAttached(call);
  const resources: JsonObject[] = [];
  for (const one of attachments) resources.push(await show(one));
  return collection(call, resources);
};

/** Returns an attachment: `GET /messages/:id/attachments/:attachment`. */
export const getAttachment: Handler = async (call) => {
  const { attachments, show } = await openAttached(call);
  return json(call, 200, await show(attachmentIn(call, attachments)));
};

/** Returns the content of an attachment: `GET /messages/:id/attachments/:attachment/$value`. */
export const getAttachmentContent: Handler = async (call) => {
  const { attachments, read } = await openAttached(call);
  const attachment = attachmentIn(call, attachments);
  return { status: 200, body: { contentType: attachment.contentType, bytes: await read(attachment) } };
};

/** Returns the attachment of the path; throws without one. */
function attachmentIn<File extends AttachmentView>({ request }: Call, attachments: readonly File[]): File {
  const attachment = attachments.find(({ id }) => id === request.params["attachment"]);
  if (attachment === undefined) throw rejection("ErrorItemNotFound");
  return attachment;
}

/** Adds a file to a draft: `POST /messages/:id/attachments`. */
export const addAttachment: Handler = async (call) => {
  const { id } = await openOwnDraft(call);
  const attachment = readAttachment(readMembers(call.request));
  const file = await storeFile(call, attachment);
  await changeFiles(call, id, (files) => [...files, file]);
  return json(call, 201, attachmentResource(file, call.services.now(), attachment.content));
};

/** Removes a file of a draft: `DELETE /messages/:id/attachments/:attachment`. */
export const removeAttachment: Handler = async (call) => {
  const { id, attachments } = await openOwnDraft(call);
  const file = attachmentIn(call, attachments);
  await changeFiles(call, id, (present) => present.filter((one) => one.id !== file.id));
  await filesOf(call).discard(uuidOfGraphId(file.id), file);
  return noContent;
};

/** Returns the draft of the path; rejects for a message that was sent or received. */
async function openOwnDraft(call: Call): Promise<Draft> {
  await openMailbox(call);
  const id = call.request.params["id"] ?? "";
  if (messageIdOf(id) !== undefined) throw rejection("ErrorAccessDenied");
  return openDraft(call, id);
}

async function changeFiles(
  call: Call,
  draft: string,
  change: (files: Draft["attachments"]) => Draft["attachments"],
): Promise<Draft> {
  return changeDraft(call, draft, (present) => ({ ...present, attachments: change(present.attachments) }));
}

/** Facts of an upload: the file, its draft, and its length. */
interface FileUpload {
  readonly draft: string;
  readonly sizeBytes: number;
  readonly file: Omit<DraftFile, "id" | "size" | "pieces">;
}

function uploadsOf({ session, services }: Call): Uploads<FileUpload> {
  return new Uploads(session, "upload", services.now);
}

const uploadLifetimeMs = 86_400_000;
/** Largest file of an upload. */
const sizeBytesMax = 150 * 1024 * 1024;

/** Opens an upload: `POST /messages/:id/attachments/createUploadSession`. The URL has the key: clients send none with it. */
export const createUploadSession: Handler = async (call) => {
  const draft = await openOwnDraft(call);
  const item = objectOf(readMembers(call.request), "AttachmentItem");
  const sizeBytes = item?.value("size");
  if (item === undefined || typeof sizeBytes !== "number" || !Number.isInteger(sizeBytes) || sizeBytes < 1) {
    throw rejection("ErrorInvalidParameter", "AttachmentItem and its size are required.");
  }
  if (sizeBytes > sizeBytesMax) throw rejection("ErrorMessageSizeExceeded");
  const { fileName, ...file } = readFile(item);
  const id = randomUUID();
  await uploadsOf(call).open(id, { draft: draft.id, sizeBytes, file: { ...file, name: fileName ?? "" } });
  const url = `${apiUrl(call.request)}/uploads/${id}?authtoken=${encodeURIComponent(call.request.key ?? "")}`;
  return json(call, 201, { uploadUrl: url, ...progress(call, 0) });
};

function progress({ services }: Call, receivedBytes: number): JsonObject {
  const expirationDateTime = new Date(services.now() + uploadLifetimeMs).toISOString();
  return { expirationDateTime, nextExpectedRanges: [`${String(receivedBytes)}-`] };
}

/** Returns the upload of the path, or `found`; throws without one. */
async function openUpload(call: Call, found?: Promise<Upload<FileUpload> | undefined>): Promise<Upload<FileUpload>> {
  const upload = await (found ?? uploadsOf(call).find(uploadIdOf(call)));
  if (upload === undefined) throw rejection("ErrorItemNotFound", "The upload session was not found.");
  return upload;
}

function uploadIdOf({ request }: Call): string {
  return request.params["upload"] ?? "";
}

/** Returns the ranges that an upload misses: `GET` of its URL. */
export const getUpload: Handler = async (call) =>
  json(call, 200, progress(call, (await openUpload(call)).receivedBytes));

/** Cancels an upload: `DELETE` of its URL. */
export const cancelUpload: Handler = async (call) => {
  await uploadsOf(call).discard(uploadIdOf(call), await openUpload(call));
  return noContent;
};

/** Receives a range; the last one completes the attachment: `PUT` to the URL of an upload. */
export const uploadRange: Handler = async (call) => {
  const { facts, receivedBytes } = await openUpload(call);
  const { body } = call.request;
  const { start = null, total = null } = readContentRange(call.request) ?? {};
  if (start === null || total !== facts.sizeBytes || start + body.byteLength > facts.sizeBytes) {
    throw rejection("ErrorInvalidParameter", "Content-Range does not describe the body and the size of the file.");
  }
  if (start > receivedBytes) throw rejection("InvalidRange");
  const upload = await openUpload(call, uploadsOf(call).append(uploadIdOf(call), { start, bytes: body }));
  if (upload.receivedBytes < facts.sizeBytes) return json(call, 200, progress(call, upload.receivedBytes));
  return complete(call, upload);
};

async function complete(call: Call, upload: Upload<FileUpload>): Promise<ProviderResponse> {
  const { draft, file } = upload.facts;
  if ((await draftsOf(call).find(uuidOfGraphId(draft))) === undefined) throw rejection("ErrorItemNotFound");
  const content = await uploadsOf(call).take(uploadIdOf(call), upload);
  const stored = await storeFile(call, { ...file, fileName: file.name, content });
  await changeFiles(call, draft, (files) => [...files, stored]);
  const location = `${apiUrl(call.request)}/me/messages/${draft}/attachments/${stored.id}`;
  const created = json(call, 201, attachmentResource(stored, call.services.now(), null));
  return { ...created, headers: { ...created.headers, location } };
}
