/** Valid requests → mails that the service stores, composed here or whole. */
import { parseMail, type Mail } from "../../mime/parse-mail.ts";
import type { DraftMailbox, EmailDraft, ProviderFacts, SubmittedEmail } from "../email.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { addressesOf } from "../formats/mail-fields.ts";
import { isEmailAddress, parseMailbox, parseMailboxes } from "../formats/mailbox.ts";
import { showUnstoredTemplate } from "../kit/templates.ts";
import { mailgunError, texts } from "./errors.ts";
import { textOfHtml } from "./html-text.ts";
import { textOfValue } from "./request.ts";
import type { MessageRequest, MimeRequest, RecipientVariables, SendOptions } from "./request.ts";
import { mailgunIdOf } from "./response.ts";
import type { RenderedTemplate } from "./templates.ts";

/** Sending domain and instant of a mail. */
export interface SendContext {
  readonly domain: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Template of a request after rendering. */
export interface AppliedTemplate {
  readonly id: string;
  readonly data: JsonObject;
  /** Null when it is not stored here. */
  readonly rendered: RenderedTemplate | null;
}

/** Returns the mails of a request: one, or with recipient variables one for each recipient in `to`. */
export function composeEmails(
  request: MessageRequest,
  template: AppliedTemplate | null,
  context: SendContext,
): readonly SubmittedEmail[] {
  const whole = composeEmail(request, template, context);
  const { recipientVariables } = request;
  if (recipientVariables === null) return [whole];
  const budget = batchBudget();
  return request.to.map((recipient) => {
    const replace = substitution(recipient, { variables: recipientVariables, budget });
    return personalised(whole, { recipient, replace, budget });
  });
}

interface DraftedEmail extends SubmittedEmail {
  readonly content: EmailDraft;
}

function composeEmail(request: MessageRequest, template: AppliedTemplate | null, context: SendContext): DraftedEmail {
  const { to, cc, bcc, options } = request;
  const shown = template === null ? {} : templateBodies(request, template);
  const from = request.from ?? senderOf(template, context.domain);
  const draft: EmailDraft = {
    from,
    to,
    cc,
    bcc,
    subject: request.subject,
    text: request.text,
    html: request.html,
    ...shown,
    replyTo: options.replyTo.length > 0 ? options.replyTo : replyToOf(template),
    headers: headersOf(options),
    attachments: request.attachments,
  };
  return {
    content: draft,
    mailFrom: from.address,
    recipients: addressesOf([...to, ...cc, ...bcc]),
    facts: factsOf(options, template),
    sendAt: options.sendAt,
    identify: identifyFor(context, options.messageId),
  };
}

/** Returns the facts of a mail. */
function factsOf({ tags, metadata }: SendOptions, template: AppliedTemplate | null): ProviderFacts {
  return { tags, metadata, template: template === null ? null : { id: template.id, data: template.data } };
}

/** Returns the function that gives a mail its id; a Message-Id of the request is kept. */
function identifyFor(context: SendContext, messageId: string | null): SubmittedEmail["identify"] {
  return (uuid) => {
    const providerId = mailgunIdOf(uuid, context);
    return { providerId, messageId: messageId ?? providerId };
  };
}

/** Bodies and subject that the request leaves to the template; one that is not stored is shown as its id and its data. */
function templateBodies(request: MessageRequest, { id, data, rendered }: AppliedTemplate): Partial<EmailDraft> {
  const shown = showUnstoredTemplate(id, data);
  const subject = request.subject === "" ? (rendered?.headers["subject"] ?? shown.subject) : request.subject;
  if (rendered === null) return { subject, text: request.text ?? shown.text };
  const wantsText = request.template?.hasText === true;
  return { subject, html: rendered.html, text: request.text ?? (wantsText ? textOfHtml(rendered.html) : null) };
}

function senderOf(template: AppliedTemplate | null, domain: string): DraftMailbox {
  const from = template?.rendered?.headers["from"];
  return parseMailbox(from ?? "") ?? { name: "", address: `postmaster@${domain}` };
}

function replyToOf(template: AppliedTemplate | null): readonly DraftMailbox[] {
  return parseMailboxes(template?.rendered?.headers["reply-to"] ?? "") ?? [];
}

/** Mailgun adds the tags and the variables as header fields. */
function headersOf({ headers, tags, metadata }: SendOptions): EmailDraft["headers"] {
  const hasVariables = Object.keys(metadata).length > 0;
  return [
    ...headers,
    ...tags.map((tag) => ["X-Mailgun-Tag", tag] as const),
    ...(hasVariables ? [["X-Mailgun-Variables", JSON.stringify(metadata)] as const] : []),
  ];
}

interface Personalisation {
  readonly recipient: DraftMailbox;
  readonly replace: (text: string) => string;
  readonly budget: BatchBudget;
}

function personalised(email: DraftedEmail, { recipient, replace, budget }: Personalisation): SubmittedEmail {
  const { content, facts } = email;
  for (const { content: bytes } of content.attachments) budget.take(bytes.byteLength);
  const metadata = Object.fromEntries(Object.entries(facts.metadata).map(([name, value]) => [name, replace(value)]));
  return {
    ...email,
    content: {
      ...content,
      to: [recipient],
      subject: replace(content.subject),
      text: content.text === null ? null : replace(content.text),
      html: content.html === null ? null : replace(content.html),
      headers: content.headers.map(([name, value]) => [name, replace(value)]),
    },
    recipients: addressesOf([recipient, ...content.cc, ...content.bcc]),
    facts: { ...facts, metadata },
  };
}

/** Largest header section that is read for the sender, tags and variables; the mail itself is stored unchanged. */
const headerBytesMax = 64 * 1024;
const limits = { headerBytesMax, headerCountMax: 1000, partCountMax: 1, partDepthMax: 1 };

/** Returns the mail of a request; its bytes are stored unchanged. Tags and variables may be header fields of the mail. */
export function composeMime({ to, raw, options }: MimeRequest, context: SendContext): SubmittedEmail {
  const mail = readHeader(raw);
  const sender = mail.from[0]?.email ?? "";
  const values = (name: string): readonly string[] =>
    mail.headers.flatMap(({ field, value }) => (field.toLowerCase() === name ? [value] : []));
  const variables = values("x-mailgun-variables").flatMap((text) => {
    const value = readJson(Buffer.from(text));
    return isJsonObject(value) ? Object.entries(value) : [];
  });
  const own = Object.fromEntries(variables.map(([name, value]) => [name, textOfValue(value)]));
  const tags = [...new Set([...values("x-mailgun-tag"), ...options.tags])];
  return {
    content: raw,
    mailFrom: isEmailAddress(sender) ? sender : `postmaster@${context.domain}`,
    recipients: addressesOf(to),
    facts: factsOf({ ...options, tags, metadata: { ...own, ...options.metadata } }, null),
    sendAt: options.sendAt,
    identify: (uuid) => ({ ...identifyFor(context, null)(uuid), messageId: null }),
  };
}

function readHeader(raw: Uint8Array): Mail {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, headerBytesMax));
  const ends = [start.indexOf("\r\n\r\n"), start.indexOf("\n\n")].filter((end) => end !== -1);
  return parseMail(start.subarray(0, Math.min(start.byteLength, ...ends.map((end) => end + 2))), limits);
}

/** Largest total size of all mails in one request, in bytes; the limit of a request. */
const batchBytesMax = 50_000_000;

/** Counts the bytes of a batch. */
interface BatchBudget {
  /** Throws Mailgun's error when the batch is too large. */
  readonly take: (bytes: number) => void;
}

/** Returns the budget of one request. */
function batchBudget(): BatchBudget {
  let left = batchBytesMax;
  return {
    take: (bytes) => {
      left -= bytes;
      if (left < 0) throw mailgunError(texts.batchTooLarge, "message_too_large");
    },
  };
}

/** Returns a function that replaces the variables of one recipient in texts; unknown variables stay as they are. */
function substitution(
  { name, address }: DraftMailbox,
  { variables, budget }: { readonly variables: RecipientVariables; readonly budget: BatchBudget },
): (text: string) => string {
  const own = variables.get(address.toLowerCase()) ?? {};
  const [firstName = "", ...otherNames] = name.split(" ");
  const predefined: Readonly<Record<string, string>> = {
    "%recipient%": name === "" ? address : `${name} <${address}>`,
    "%recipient_email%": address,
    "%recipient_name%": name,
    "%recipient_fname%": firstName,
    "%recipient_lname%": otherNames.join(" "),
  };
  return (text) => {
    budget.take(text.length);
    return text.replaceAll(/%recipient(?:_[a-z]{4,5}|\.([^%\s]{1,200}))?%/g, (match, variable: string | undefined) => {
      const value = variable === undefined ? predefined[match] : valueOf(own, variable);
      budget.take(value?.length ?? 0);
      return value ?? match;
    });
  };
}

function valueOf(variables: JsonObject, name: string): string | undefined {
  return Object.hasOwn(variables, name) ? textOfValue(variables[name]) : undefined;
}
