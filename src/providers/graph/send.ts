/** Sending without a draft, and replies: https://learn.microsoft.com/graph/api/user-sendmail */
import { escapeHtml } from "../formats/html-text.ts";
import { onProblem } from "../kit/rejection.ts";
import { emailOf } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { Members } from "../kit/members.ts";
import type { DraftAttachment, DraftMailbox } from "../email.ts";
import type { MailboxMessage, ProviderMailbox } from "../mailbox.ts";
import { createDraftOf, type Draft, draftView, emailDraftOf, sendDraftOf } from "./drafts.ts";
import { rejection } from "./errors.ts";
import { graphIdOf, messageIdOf, openMailbox } from "./ids.ts";
import { instantText, type MessageView, viewOf } from "./message.ts";
import {
  emptyFields,
  isMime,
  type ItemBody,
  type MessageFields,
  objectOf,
  readAttachment,
  readFields,
  readMembers,
  readMime,
} from "./request.ts";
import { resource } from "./response.ts";
import { submit } from "./submit.ts";

/** Sends a mail: `POST /sendMail`, as JSON or in MIME. */
export const sendMail: Handler = async (call) => {
  const { address } = await openMailbox(call);
  const user = { name: "", address };
  const identify = (uuid: string) => ({ providerId: graphIdOf(uuid), messageId: null });
  if (isMime(call.request)) {
    const { raw, from, to, cc, bcc } = readMime(call.request);
    const mail = emailDraftOf({ ...emptyFields, to, cc, bcc }, from[0] ?? user, []);
    return submit(call, { email: { ...emailOf(mail, { identify }), content: raw }, savesCopy: true });
  }
  const body = readMembers(call.request);
  const message = objectOf(body, "message");
  if (message === undefined) throw rejection("ErrorInvalidParameter", "The required parameter Message is missing.");
  const fields = readFields(message, emptyFields);
  const draft = emailDraftOf(fields, fields.from ?? user, message.objects("attachments").map(readAttachment));
  const { categories: tags, sendAt } = fields;
  return submit(call, {
    email: emailOf(draft, { tags, sendAt, identify }),
    savesCopy: body.flag("saveToSentItems") ?? true,
  });
};

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
  return resource(call, 201, draftView(await draftReply(call, kind)));
}

async function draftReply(call: Call, kind: ReplyKind): Promise<Draft> {
  const mailbox = await openMailbox(call);
  const body = readMembers(call.request);
  const id = messageIdOf(call.request.params["id"] ?? "");
  if (id === undefined) throw rejection("ErrorItemNotFound");
  const original = await onProblem("not_found", mailbox.get(id), () => rejection("ErrorItemNotFound"));
  const view = viewOf(original);
  const fields = replyFields(view, { kind, body, user: mailbox.address });
  if (kind !== "forward" && fields.to.length + fields.cc.length === 0) throw rejection("ErrorInvalidRecipients");
  const files = kind === "forward" ? await filesOf(mailbox, original) : [];
  const added = objectOf(body, "message")?.objects("attachments").map(readAttachment) ?? [];
  return createDraftOf(call, mailbox.address, {
    fields,
    files: [...files, ...added],
    rootMessageId: kind === "forward" ? null : view.rootMessageId,
  });
}

async function filesOf(mailbox: ProviderMailbox, { message }: MailboxMessage): Promise<readonly DraftAttachment[]> {
  const files: DraftAttachment[] = [];
  for (const { id, fileName, contentType, contentId } of message.attachments) {
    const content = await mailbox.getAttachment(id);
    files.push({ fileName, contentType, contentId, isInline: contentId !== null, content });
  }
  return files;
}

interface ReplyRequest {
  readonly kind: ReplyKind;
  readonly body: Members;
  readonly user: string;
}

function replyFields(view: MessageView, request: ReplyRequest): MessageFields {
  const { kind, body } = request;
  const prefix = kind === "forward" ? "FW" : "RE";
  const present: MessageFields = {
    ...emptyFields,
    ...recipientsOf(view, request),
    subject: /^(?:re|fw|fwd):/i.test(view.subject) ? view.subject : `${prefix}: ${view.subject}`,
    body: quote(view, body.text("comment") ?? ""),
    headers: kind === "forward" || view.internetMessageId === "" ? [] : threadHeaders(view),
  };
  const message = objectOf(body, "message");
  const changed = message === undefined ? present : readFields(message, present);
  return body.value("toRecipients") === null ? changed : { ...changed, to: readFields(body, emptyFields).to };
}

function recipientsOf(view: MessageView, { kind, user }: ReplyRequest): Pick<MessageFields, "to" | "cc"> {
  if (kind === "forward") return { to: [], cc: [] };
  const sender = view.from === null ? [] : [view.from];
  const answered = view.replyTo.length > 0 ? view.replyTo : sender;
  if (kind === "reply") return { to: answered, cc: [] };
  const isOther = ({ address }: DraftMailbox): boolean => address.toLowerCase() !== user.toLowerCase();
  return { to: [...answered, ...view.to.filter(isOther)], cc: view.cc.filter(isOther) };
}

function threadHeaders({ internetMessageId, headers }: MessageView): MessageFields["headers"] {
  const earlier = headers.find(([name]) => name.toLowerCase() === "references")?.[1] ?? "";
  const references = `${earlier} ${internetMessageId}`.replaceAll(/\s+/g, " ").trim();
  return [
    ["In-Reply-To", internetMessageId],
    ["References", references],
  ];
}

/** Returns a comment above the original, as Outlook writes it. */
function quote(view: MessageView, comment: string): ItemBody {
  const lines = [
    ["From", shown(view.from === null ? [] : [view.from])],
    ["Sent", instantText(view.createdAt)],
    ["To", shown(view.to)],
    ["Subject", view.subject],
  ] as const;
  if (view.html === null) {
    const head = lines.map(([name, value]) => `${name}: ${value}`).join("\n");
    return {
      contentType: "text",
      content: `${comment}\n\n________________________________\n${head}\n\n${view.text ?? ""}`,
    };
  }
  const head = lines.map(([name, value]) => `<b>${name}:</b> ${escapeHtml(value)}`).join("<br>");
  return { contentType: "html", content: `<div>${escapeHtml(comment)}</div><hr><div>${head}</div><br>${view.html}` };
}

function shown(mailboxes: readonly DraftMailbox[]): string {
  return mailboxes.map(({ name, address }) => (name === "" ? address : `${name} <${address}>`)).join("; ");
}
