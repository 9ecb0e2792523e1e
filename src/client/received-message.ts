/** Messages with methods for tests. */
import {
  compareTranslations,
  fetchSnapshot,
  judgeBudget,
  type MailBudget,
  type MailTranslations,
  matchScreenshot,
  type Screenshot,
  type ScreenshotOptions,
  type SnapshotOptions,
  type TranslationOptions,
} from "./analyses.ts";
import type {
  Attachment,
  BudgetReport,
  LocalisationReport,
  Message,
  ReplyToMessageRequest,
  ForwardMessageRequest,
  Transcript,
} from "./generated/types.ts";
import { attachmentOf, codeOf, codesOf, linkOf, linksOf, type CodeOptions } from "./message-content.ts";
import { attachmentsToSend, sendOnceOnly, type AttachmentToSend } from "./outgoing.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** Reply to a message. */
export interface ReplyFields extends Omit<ReplyToMessageRequest, "attachments"> {
  readonly attachments?: readonly AttachmentToSend[] | undefined;
}

/** Methods of a message that the client returned. */
export interface MessageMethods {
  /** Returns the first one-time code; throws a `ContentError` that shows the text when there is none. */
  code(options?: CodeOptions): string;
  /** Returns all one-time codes, each once. */
  codes(): readonly string[];
  /**
   * Returns the target of the link with this visible text (or part of it, or of the URL); without a name, of the only
   * link. Throws a `ContentError` that lists the links when none or several match.
   */
  link(name?: string | RegExp): string;
  /** Returns the targets of all links, in document order. */
  links(): readonly string[];
  /** Returns the attachment with this file name, or the only one. */
  attachment(name?: string | RegExp): Attachment;
  /** Fetches the decoded content of the attachment with this file name, or of the only one. */
  download(name?: string | RegExp, options?: RequestOptions): Promise<Uint8Array>;
  /** Fetches the bytes of the mail as received. */
  raw(options?: RequestOptions): Promise<Uint8Array>;
  /** Replies as the recipient. A string is the text. */
  reply(fields: string | ReplyFields, options?: RequestOptions): Promise<ReceivedMessage>;
  /** Forwards the mail with its attachments. */
  forward(fields: ForwardMessageRequest, options?: RequestOptions): Promise<ReceivedMessage>;
  /** Fetches the SMTP session that delivered the mail. */
  transcript(options?: RequestOptions): Promise<Transcript>;
  /** Fetches everything about the message as a ZIP archive, to attach to a failed test. */
  bundle(options?: RequestOptions): Promise<Uint8Array>;
  /** Judges the mail by limits of its size, content, support by email clients and spam score. */
  judge(budget: MailBudget, options?: RequestOptions): Promise<BudgetReport>;
  /** Compares the mail with its translations: missing ones, direction, dates, plurals, overflowing text. */
  compareTranslations(translations: MailTranslations, options?: TranslationOptions): Promise<LocalisationReport>;
  /** Renders the mail in an email client, and compares the picture with a baseline. */
  screenshot(options?: ScreenshotOptions): Promise<Screenshot>;
  /** Describes the message as a text that is equal for two sendings of the same message, to compare with a former one. */
  snapshot(options?: SnapshotOptions): Promise<string>;
  /** Deletes the message. */
  delete(options?: RequestOptions): Promise<void>;
}

/** Full message with methods, which are not enumerable: it serialises and compares like the JSON of the API. */
export type ReceivedMessage = Message & MessageMethods;

/** Adds the methods to a message. */
export function withMethods(transport: Transport, message: Message): ReceivedMessage {
  const path = { id: message.id };
  const methods: MessageMethods = {
    code: (options) => codeOf(message, options),
    codes: () => codesOf(message),
    link: (name) => linkOf(message, name),
    links: () => Array.from(new Set(linksOf(message).map(({ href }) => href))),
    attachment: (name) => attachmentOf(message, name),
    download: async (name, options) =>
      transport.call("getAttachment", { path: { id: attachmentOf(message, name).id } }, options),
    raw: async (options) => transport.call("getRawMessage", { path }, options),
    reply: async (fields, options) => reply(transport, { message: message.id, fields }, options),
    forward: async (fields, options) => {
      const once = { ...options, ...sendOnceOnly() };
      return withMethods(transport, await transport.call("forwardMessage", { path, body: fields }, once));
    },
    transcript: async (options) => transport.call("getTranscript", { path }, options),
    bundle: async (options) => transport.call("getMessageBundle", { path }, options),
    judge: async (budget, options) => judgeBudget(transport, { id: message.id, budget }, options),
    compareTranslations: async (translations, options) =>
      compareTranslations(transport, { id: message.id, translations }, options),
    screenshot: async (options) => matchScreenshot(transport, message.id, options),
    snapshot: async (options) => fetchSnapshot(transport, message.id, options),
    delete: async (options) => transport.call("deleteMessage", { path }, options),
  };
  const copy = { ...message };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(copy, name, { value });
  return copy as ReceivedMessage;
}

/** Replies to a message; a retry cannot send it twice. */
export async function reply(
  transport: Transport,
  { message, fields }: { readonly message: string; readonly fields: string | ReplyFields },
  options?: RequestOptions,
): Promise<ReceivedMessage> {
  const { attachments, ...rest } = typeof fields === "string" ? { text: fields } : fields;
  const body = { ...rest, ...attachmentsToSend(attachments) };
  const sent = await transport.call(
    "replyToMessage",
    { path: { id: message }, body },
    { ...options, ...sendOnceOnly() },
  );
  return withMethods(transport, sent);
}
