/**
 * Sending, of drafts and without one, replies and forwards: https://learn.microsoft.com/graph/api/user-sendmail and
 * https://learn.microsoft.com/graph/outlook-create-send-messages
 */
import type { DraftAttachment, DraftMailbox, SubmittedEmail } from "../email.ts";
import { escapeHtml } from "../formats/html-text.ts";
import { emailOf } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { onProblem } from "../kit/rejection.ts";
import type { ProviderResponse } from "../provider.ts";
import { createDraftOf, type Draft, filesOf, openDraft, removeDraft } from "./drafts.ts";
import { rejection } from "./errors.ts";
import { graphIdOf, messageIdOf, openMailbox } from "./ids.ts";
import { instantText, type MessageView, viewOf } from "./message.ts";
import {
  emptyFields,
  isMime,
  type ItemBody,
  type MessageFields,
  objectOf,
  readFields,
  readFiles,
  readMembers,
  readMessage,
  readMime,
} from "./request.ts";
import { contentOf, empty, resource } from "./response.ts";

/** Sends a mail: `POST /sendMail`, as JSON or in MIME. */
export const sendMail: Handler = async (call) => {
  if (isMime(call.request)) {
    const { fields, files, mime } = readMime(call.request);
    return submit(call, { fields, files, raw: mime?.raw ?? null });
  }
  const body = readMembers(call.request);
  const message = objectOf(body, "message");
  if (message === undefined) throw rejection("ErrorInvalidParameter", "The required parameter Message is missing.");
  const { fields, files } = readMessage(message);
  return submit(call, { fields, files, raw: null, savesCopy: body.flag("saveToSentItems") ?? true });
};

/** Sends a draft, which is removed then: `POST /messages/:id/send`. */
export const sendDraft: Handler = async (call) =>
  sendDraftOf(call, await openDraft(call, call.request.params["id"] ?? ""));

/** Sends a draft, and removes it. */
async function sendDraftOf(call: Call, draft: Draft): Promise<ProviderResponse> {
  const contents = filesOf(call);
  const raw = draft.mime === null ? null : await contents.read({ pieces: draft.mime });
  const files: DraftAttachment[] = [];
  for (const file of draft.attachments)
    files.push({ ...file, fileName: file.name, content: await contents.read(file) });
  const response = await submit(call, { fields: draft, files, raw, messageId: draft.internetMessageId });
  await removeDraft(call, draft.id);
  return response;
}

/** Mail to submit. */
interface Submission {
  readonly fields: MessageFields;
  readonly files: readonly DraftAttachment[];
  /** Whole mail, which is sent as it is; null for the mail of the properties. */
  readonly raw: Uint8Array | null;
  readonly messageId?: string;
  /** Whether a copy is stored as sent in the mailbox of the user; true by default. */
  readonly savesCopy?: boolean;
}

/** Header field of responses with the id of the accepted mail, which Graph does not return. */
const acceptedIdHeader = "x-restante-message-id";

/** Submits a mail, and stores its copy; a mail that arrives later has none. */
async function submit(call: Call, submission: Submission): Promise<ProviderResponse> {
  const { session } = call;
  const mailbox = await openMailbox(call);
  const email = emailOfFields(submission, mailbox.address);
  if (email.recipients.length === 0) {
    const reason = "A message can't be sent because it contains no recipients.";
    throw rejection("ErrorInvalidRecipients", `At least one recipient isn't valid., ${reason}`);
  }
  const [submitted] = await session.submitEmails([email]);
  if (submitted === undefined || submitted.refusal !== undefined) throw rejection("ErrorInvalidRecipients");
  const { savesCopy = true } = submission;
  const raw = savesCopy ? await onProblem("not_found", session.getRaw(submitted.uuid), () => null) : null;
  if (raw !== null) {
    const marks = { flags: ["seen"], tags: email.facts.tags } as const;
    await mailbox.place({ raw, direction: "Sent", marks, providerIdOf: graphIdOf });
  }
  const accepted = empty(call, 202);
  return { ...accepted, headers: { ...accepted.headers, [acceptedIdHeader]: submitted.providerId } };
}

/** Returns the mail of the properties, whose sender is the user unless they name another. */
function emailOfFields({ fields, files, raw, messageId }: Submission, user: string): SubmittedEmail {
  const { from, to, cc, bcc, replyTo, subject, body, importance, categories: tags, sendAt } = fields;
  const priority = importance === "normal" ? [] : [["Importance", importance] as const];
  const draft = {
    ...body,
    to,
    cc,
    bcc,
    replyTo,
    subject,
    from: from ?? { name: "", address: user },
    headers: [...priority, ...fields.headers],
    attachments: files,
  };
  const identify = (uuid: string) => ({ providerId: graphIdOf(uuid), messageId: messageId ?? null });
  const email = emailOf(draft, { tags, sendAt, identify });
  return raw === null ? email : { ...email, content: raw };
}

/** Kinds of replies. */
type ReplyKind = "reply" | "replyAll" | "forward";

/** Creates the draft of a reply: `POST /messages/:id/createReply`. */
export const createReply: Handler = async (call) => respondWithDraft(call, "reply");

/** Creates the draft of a reply to all: `POST /messages/:id/createReplyAll`. */
export const createReplyAll: Handler = async (call) => respondWithDraft(call, "replyAll");

/** Creates the draft of a forward: `POST /messages/:id/createForward`. */
export const createForward: Handler = async (call) => respondWithDraft(call, "forward");

/** Replies: `POST /messages/:id/reply`. */
export const reply: Handler = async (call) => sendDraftOf(call, await draftReply(call, "reply"));

/** Replies to all: `POST /messages/:id/replyAll`. */
export const replyAll: Handler = async (call) => sendDraftOf(call, await draftReply(call, "replyAll"));

/** Forwards: `POST /messages/:id/forward`. */
export const forward: Handler = async (call) => sendDraftOf(call, await draftReply(call, "forward"));

async function respondWithDraft(call: Call, kind: ReplyKind): ReturnType<Handler> {
  return resource(call, 201, await draftReply(call, kind));
}

async function draftReply(call: Call, kind: ReplyKind): Promise<Draft> {
  const mailbox = await openMailbox(call);
  const body = readMembers(call.request);
  const message = objectOf(body, "message");
  const id = messageIdOf(call.request.params["id"] ?? "");
  if (id === undefined) throw rejection("ErrorItemNotFound");
  const view = viewOf(await onProblem("not_found", mailbox.get(id), () => rejection("ErrorItemNotFound")));
  const present = replyFields(view, { kind, comment: body.text("comment") ?? "", user: mailbox.address });
  const changed = message === undefined ? present : readFields(message, present);
  const hasOwn = body.value("toRecipients") !== null;
  const fields = hasOwn ? { ...changed, to: readFields(body, emptyFields).to } : changed;
  if (kind !== "forward" && fields.to.length + fields.cc.length === 0) throw rejection("ErrorInvalidRecipients");
  const isForward = kind === "forward";
  const files: DraftAttachment[] = [];
  for (const file of isForward ? view.attachments : []) {
    files.push({ ...file, fileName: file.name, content: await contentOf(mailbox, file) });
  }
  const added = message === undefined ? [] : readFiles(message);
  const rootMessageId = isForward ? null : view.rootMessageId;
  return createDraftOf(call, mailbox.address, { fields, files: [...files, ...added], mime: null, rootMessageId });
}

interface ReplyRequest {
  readonly kind: ReplyKind;
  readonly comment: string;
  readonly user: string;
}

function replyFields(view: MessageView, request: ReplyRequest): MessageFields {
  const { subject, internetMessageId } = view;
  const isForward = request.kind === "forward";
  return {
    ...emptyFields,
    ...(isForward ? {} : recipientsOf(view, request)),
    subject: /^(?:re|fw|fwd):/i.test(subject) ? subject : `${isForward ? "FW" : "RE"}: ${subject}`,
    body: quote(view, request.comment),
    headers: isForward || internetMessageId === "" ? [] : threadHeaders(view),
  };
}

function recipientsOf(view: MessageView, { kind, user }: ReplyRequest): Pick<MessageFields, "to" | "cc"> {
  const answered = view.replyTo.length > 0 ? view.replyTo : senderOf(view);
  if (kind === "reply") return { to: answered, cc: [] };
  const isOther = ({ address }: DraftMailbox): boolean => address.toLowerCase() !== user.toLowerCase();
  return { to: [...answered, ...view.to.filter(isOther)], cc: view.cc.filter(isOther) };
}

function senderOf({ from }: MessageView): readonly DraftMailbox[] {
  return from === null ? [] : [from];
}

function threadHeaders({ internetMessageId, headers }: MessageView): MessageFields["headers"] {
  const earlier = headers.find(([name]) => name.toLowerCase() === "references")?.[1] ?? "";
  const references = `${earlier} ${internetMessageId}`.replaceAll(/\s+/g, " ").trim();
  return Object.entries({ "In-Reply-To": internetMessageId, References: references });
}

/** Returns a comment above the original, as Outlook writes it. */
function quote(view: MessageView, comment: string): ItemBody {
  const lines = Object.entries({
    From: shown(senderOf(view)),
    Sent: instantText(view.createdAt),
    To: shown(view.to),
    Subject: view.subject,
  });
  const { text, html } = view.body;
  if (html === null) {
    const head = lines.map(([name, value]) => `${name}: ${value}`).join("\n");
    return { text: `${comment}\n\n________________________________\n${head}\n\n${text ?? ""}`, html };
  }
  const head = lines.map(([name, value]) => `<b>${name}:</b> ${escapeHtml(value)}`).join("<br>");
  return { text: null, html: `<div>${escapeHtml(comment)}</div><hr><div>${head}</div><br>${html}` };
}

function shown(mailboxes: readonly DraftMailbox[]): string {
  return mailboxes.map(({ name, address }) => (name === "" ? address : `${name} <${address}>`)).join("; ");
}
