/** Message and attachment resources, as Graph shows them. */
import type { Contact, HeaderField, Message } from "../../core/message.ts";
import type { DraftMailbox } from "../email.ts";
import { textOfHtml } from "../formats/html-text.ts";
import { derivedHex } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { parseMailboxes } from "../formats/mailbox.ts";
import type { MailboxMessage } from "../mailbox.ts";
import { folderIdOf, folderOf, folderTagPrefix } from "./folder-tags.ts";
import { conversationIdOf, graphIdOf } from "./ids.ts";
import type { Importance, ItemBody, MessageFields } from "./request.ts";

/** Attachment of a message or draft. */
export interface AttachmentView {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly contentId: string | null;
  readonly isInline: boolean;
  readonly size: number;
}

/** Facts that the resource of a message shows, wherever it is kept. Instants in milliseconds since the Unix epoch. */
export interface MessageView extends MessageFields {
  readonly id: string;
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly isDraft: boolean;
  readonly folderId: string;
  /** With angle brackets. */
  readonly internetMessageId: string;
  /** Message-ID of the first mail of the thread, without angle brackets. */
  readonly rootMessageId: string;
  readonly attachments: readonly AttachmentView[];
}

/** Returns the facts of a stored mail. */
export function viewOf({ id, direction, message, marks }: MailboxMessage): MessageView {
  const { headers } = message.metadata;
  const at = Date.parse(message.received);
  return {
    id: graphIdOf(id),
    createdAt: at,
    modifiedAt: at,
    isDraft: false,
    isRead: marks.flags.includes("seen"),
    isFlagged: marks.flags.includes("flagged"),
    folderId: folderIdOf(folderOf({ marks, direction })),
    internetMessageId: valueOf(headers, "message-id").trim(),
    rootMessageId: rootOf(headers),
    subject: message.subject,
    body: { text: message.text.body, html: message.html.body },
    from: mailboxesOf(message.from)[0] ?? null,
    replyTo: parseMailboxes(valueOf(headers, "reply-to")) ?? [],
    to: mailboxesOf(message.to),
    cc: mailboxesOf(message.cc),
    bcc: mailboxesOf(message.bcc),
    categories: marks.tags.filter((tag) => !tag.startsWith(folderTagPrefix)),
    importance: importanceOf(valueOf(headers, "importance")),
    headers: headers.map(({ field, value }) => [field, value]),
    attachments: message.attachments.map(attachmentOf),
    sendAt: null,
  };
}

/** Returns the first value of a header field by its name in lower case; "" without one. */
function valueOf(headers: readonly HeaderField[], name: string): string {
  return headers.find(({ field }) => field.toLowerCase() === name)?.value ?? "";
}

/** Returns the Message-ID of the first mail of a thread: the first reference, else the mail's own. */
function rootOf(headers: readonly HeaderField[]): string {
  const named = ["references", "in-reply-to", "message-id"].map((name) => valueOf(headers, name)).join(" ");
  return /<([^<>\s]+)>/.exec(named)?.[1] ?? "";
}

function importanceOf(value: string): Importance {
  const text = value.trim().toLowerCase();
  return text === "high" || text === "low" ? text : "normal";
}

function mailboxesOf(contacts: readonly Contact[]): readonly DraftMailbox[] {
  return contacts.map(({ name, email }) => ({ name, address: email ?? "" }));
}

function attachmentOf({ id, fileName: name, length: size, ...file }: Message["attachments"][number]): AttachmentView {
  const { contentType, contentId } = file;
  return { id: graphIdOf(id), name, contentType, contentId, isInline: contentId !== null, size };
}

/** Returns an instant as Graph writes it. */
export function instantText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** Wishes of a request about the resources of its response. */
export interface Representation {
  /** Properties that are shown, in lower case; null for the usual ones. */
  readonly select: ReadonlySet<string> | null;
  /** Whether bodies are shown as plain text. */
  readonly prefersText: boolean;
}

/** Returns the properties that `$select` names; null without it. */
export function selectionOf(select: string | undefined): Representation["select"] {
  return select === undefined ? null : new Set(select.split(",").map((name) => name.trim().toLowerCase()));
}

/** Properties that only `$select` shows. */
const selectedOnly: ReadonlySet<string> = new Set(["internetmessageheaders", "uniquebody"]);

/** Returns the resource of a message. */
export function messageResource(view: MessageView, { select, prefersText }: Representation): JsonObject {
  const { id, isRead, isFlagged, categories, folderId, attachments } = view;
  const changeKey = derivedHex(16, JSON.stringify([view.modifiedAt, isRead, isFlagged, categories, folderId]));
  const body = bodyOf(view.body, prefersText);
  const from = view.from === null ? null : recipient(view.from);
  const received = instantText(view.createdAt);
  const all: JsonObject = {
    id,
    createdDateTime: received,
    lastModifiedDateTime: instantText(view.modifiedAt),
    changeKey,
    categories,
    receivedDateTime: received,
    sentDateTime: received,
    hasAttachments: attachments.some(({ isInline }) => !isInline),
    internetMessageId: view.internetMessageId,
    subject: view.subject,
    bodyPreview: previewOf(view.body),
    importance: view.importance,
    parentFolderId: folderId,
    conversationId: conversationIdOf(view.rootMessageId),
    isDeliveryReceiptRequested: null,
    isReadReceiptRequested: false,
    isRead,
    isDraft: view.isDraft,
    webLink: `https://outlook.office365.com/owa/?ItemID=${id}&exvsurl=1&viewmodel=ReadMessageItem`,
    inferenceClassification: "focused",
    body,
    uniqueBody: body,
    sender: from,
    from,
    toRecipients: view.to.map(recipient),
    ccRecipients: view.cc.map(recipient),
    bccRecipients: view.bcc.map(recipient),
    replyTo: view.replyTo.map(recipient),
    flag: { flagStatus: isFlagged ? "flagged" : "notFlagged" },
    internetMessageHeaders: view.headers.map(([name, value]) => ({ name, value })),
  };
  const isShown = (name: string): boolean =>
    select === null ? !selectedOnly.has(name) : name === "id" || select.has(name);
  const shown = Object.entries(all).filter(([name]) => isShown(name.toLowerCase()));
  return { "@odata.etag": `W/"${changeKey}"`, ...Object.fromEntries(shown) };
}

function recipient({ name, address }: DraftMailbox): JsonObject {
  return { emailAddress: { name: name || address, address } };
}

function bodyOf({ html, text }: ItemBody, prefersText: boolean): JsonObject {
  if (html !== null && !prefersText) return { contentType: "html", content: html };
  return { contentType: "text", content: text ?? (html === null ? "" : `${textOfHtml(html)}\n`) };
}

const previewLengthMax = 255;
/** HTML that a preview reads at most. */
const previewedHtmlMax = 64 * 1024;

function previewOf({ html, text }: ItemBody): string {
  const source = text ?? textOfHtml((html ?? "").slice(0, previewedHtmlMax));
  const start = source.slice(0, 2 * previewLengthMax).replaceAll(/\s+/g, " ");
  return start.trim().slice(0, previewLengthMax);
}

/** Returns the resource of an attachment; `content` null leaves its content out. */
export function attachmentResource(view: AttachmentView, modifiedAt: number, content: Uint8Array | null): JsonObject {
  const { id, name, contentType, size, isInline, contentId } = view;
  return {
    "@odata.type": "#microsoft.graph.fileAttachment",
    "@odata.mediaContentType": contentType,
    id,
    lastModifiedDateTime: instantText(modifiedAt),
    name,
    contentType,
    size,
    isInline,
    contentId,
    contentLocation: null,
    ...(content !== null && { contentBytes: Buffer.from(content).toString("base64") }),
  };
}
