/** Attachments of messages and drafts, and uploads of large ones. */
import { randomUUID } from "node:crypto";
import { parseAttachmentId } from "../../core/ids.ts";
import { fieldOf } from "../formats/form.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { readContentRange, Uploads } from "../kit/uploads.ts";
import { noContent, type ProviderResponse } from "../provider.ts";
import { changeDraft, type Draft, type DraftFile, draftsOf, filesOf, openDraft, storeFile } from "./drafts.ts";
import { rejection } from "./errors.ts";
import { messageIdOf, openMailbox, uuidOfGraphId } from "./ids.ts";
import { attachmentResource, type AttachmentView, viewOf } from "./message.ts";
import { objectOf, readAttachment, readFile, readMembers } from "./request.ts";
import { apiUrl, collection, json } from "./response.ts";

/** Attachments of a message or draft, and a reader of their content. */
interface Attached {
  readonly modifiedAt: number;
  readonly attachments: readonly AttachmentView[];
  readonly read: (attachment: AttachmentView) => Promise<Uint8Array>;
}

async function openAttached(call: Call): Promise<Attached> {
  const mailbox = await openMailbox(call);
  const id = call.request.params["id"] ?? "";
  const messageId = messageIdOf(id);
  if (messageId === undefined) {
    const { files, modifiedAt } = await openDraft(call, id);
    const read = async ({ id: file }: AttachmentView): Promise<Uint8Array> =>
      filesOf(call).read(files.find((one) => one.id === file) ?? { pieces: [] });
    return { attachments: files, modifiedAt, read };
  }
  const { attachments, modifiedAt } = viewOf(await mailbox.get(messageId));
  const read = async ({ id: attachment }: AttachmentView): Promise<Uint8Array> => {
    const own = parseAttachmentId(uuidOfGraphId(attachment));
    if (own === undefined) throw rejection("ErrorItemNotFound");
    return mailbox.getAttachment(own);
  };
  return { attachments, modifiedAt, read };
}

/** Lists attachments, with their content unless `$select` leaves it out: `GET /messages/:id/attachments`. */
export const listAttachments: Handler = async (call) => {
  const { attachments, modifiedAt, read } = await openAttached(call);
  const resources = [];
  for (const one of attachments) resources.push(await shown(call, one, { modifiedAt, read }));
  return collection(call, resources);
};

async function shown(call: Call, one: AttachmentView, { modifiedAt, read }: Pick<Attached, "modifiedAt" | "read">) {
  const names = fieldOf(call.request.fields, "$select")?.toLowerCase().split(",");
  const hasContent = names?.some((name) => name.trim().endsWith("contentbytes")) ?? true;
  return attachmentResource(one, modifiedAt, hasContent ? await read(one) : null);
}

async function openAttachment(call: Call): Promise<Attached & { readonly attachment: AttachmentView }> {
  const attached = await openAttached(call);
  const attachment = attached.attachments.find(({ id }) => id === call.request.params["attachment"]);
  if (attachment === undefined) throw rejection("ErrorItemNotFound");
  return { ...attached, attachment };
}

/** Returns an attachment: `GET /messages/:id/attachments/:attachment`. */
export const getAttachment: Handler = async (call) => {
  const { attachment, ...attached } = await openAttachment(call);
  return json(call, 200, await shown(call, attachment, attached));
};

/** Returns the content of an attachment: `GET /messages/:id/attachments/:attachment/$value`. */
export const getAttachmentContent: Handler = async (call) => {
  const { attachment, read } = await openAttachment(call);
  return { status: 200, body: { contentType: attachment.contentType, bytes: await read(attachment) } };
};

/** Adds a file to a draft: `POST /messages/:id/attachments`. */
export const addAttachment: Handler = async (call) => {
  const draft = await openOwnDraft(call);
  const attachment = readAttachment(readMembers(call.request));
  const file = await storeFile(call, attachment);
  await changeDraft(call, draft.id, (present) => ({ ...present, files: [...present.files, file] }));
  return json(call, 201, attachmentResource(file, call.services.now(), attachment.content));
};

/** Removes a file of a draft: `DELETE /messages/:id/attachments/:attachment`. */
export const removeAttachment: Handler = async (call) => {
  const draft = await openOwnDraft(call);
  const file = draft.files.find(({ id }) => id === call.request.params["attachment"]);
  if (file === undefined) throw rejection("ErrorItemNotFound");
  await changeDraft(call, draft.id, (present) => ({
    ...present,
    files: present.files.filter(({ id }) => id !== file.id),
  }));
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

/** Facts of an upload: the file, its draft, and its length. */
interface FileUpload {
  readonly draft: string;
  readonly sizeBytes: number;
  readonly file: Omit<DraftFile, "id" | "size" | "pieces">;
}

function uploadsOf({ session, services }: Pick<Call, "session" | "services">): Uploads<FileUpload> {
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

function progress({ services }: Pick<Call, "services">, receivedBytes: number) {
  const expirationDateTime = new Date(services.now() + uploadLifetimeMs).toISOString();
  return { expirationDateTime, nextExpectedRanges: [`${String(receivedBytes)}-`] };
}

async function openUpload(call: Call) {
  const id = call.request.params["upload"] ?? "";
  const upload = await uploadsOf(call).find(id);
  if (upload === undefined) throw rejection("ErrorItemNotFound", "The upload session was not found.");
  return { id, upload };
}

/** Returns the ranges that an upload misses: `GET` of its URL. */
export const getUpload: Handler = async (call) => {
  const { upload } = await openUpload(call);
  return json(call, 200, progress(call, upload.receivedBytes));
};

/** Cancels an upload: `DELETE` of its URL. */
export const cancelUpload: Handler = async (call) => {
  const { id, upload } = await openUpload(call);
  await uploadsOf(call).discard(id, upload);
  return noContent;
};

/** Receives a range; the last one completes the attachment: `PUT` to the URL of an upload. */
export const uploadRange: Handler = async (call) => {
  const { id, upload } = await openUpload(call);
  const { sizeBytes } = upload.facts;
  const { body } = call.request;
  const { start = null, total = null } = readContentRange(call.request) ?? {};
  if (start === null || total !== sizeBytes || start + body.byteLength > sizeBytes) {
    throw rejection("ErrorInvalidParameter", "Content-Range does not describe the body and the size of the file.");
  }
  if (start > upload.receivedBytes) throw rejection("InvalidRange");
  const appended = await uploadsOf(call).append(id, { start, bytes: body });
  if (appended === undefined) throw rejection("ErrorItemNotFound", "The upload session was not found.");
  if (appended.receivedBytes < sizeBytes) return json(call, 200, progress(call, appended.receivedBytes));
  return complete(call, id);
};

async function complete(call: Call, id: string): Promise<ProviderResponse> {
  const { upload } = await openUpload(call);
  const { draft, file } = upload.facts;
  if ((await draftsOf(call).find(uuidOfGraphId(draft))) === undefined) throw rejection("ErrorItemNotFound");
  const content = await uploadsOf(call).take(id, upload);
  const stored = await storeFile(call, { ...file, fileName: file.name, content });
  await changeDraft(call, draft, (present) => ({ ...present, files: [...present.files, stored] }));
  const location = `${apiUrl(call.request)}/me/messages/${draft}/attachments/${stored.id}`;
  const created = json(call, 201, attachmentResource(stored, call.services.now(), null));
  return { ...created, headers: { ...created.headers, location } };
}
