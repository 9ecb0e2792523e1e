/** Valid requests → mails that the service stores, composed here or whole. */
import type { DraftMailbox, EmailDraft, SubmittedEmail } from "../email.ts";
import { plainText, readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { addressesOf, withoutRepetitions } from "../formats/mail-fields.ts";
import { isEmailAddress, parseMailbox, parseMailboxes } from "../formats/mailbox.ts";
import { readMailHeader } from "../formats/mail-header.ts";
import { batchCounter, emailOf, wholeEmailOf, type DraftedEmail } from "../kit/emails.ts";
import { showUnstoredTemplate } from "../kit/templates.ts";
import { mailgunError, texts } from "./errors.ts";
import { textOfHtml } from "../formats/html-text.ts";
import { textsOf, type MessageRequest, type MimeRequest } from "./request.ts";
import { mailgunIdOf } from "./response.ts";
import type { RenderedTemplate } from "./templates.ts";

/** Sending domain and instant of a mail. */
export interface SendContext {
  readonly domain: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Returns the mails of a request: one, or with recipient variables one for each recipient in `to`. `rendered` is the template
 * of the request, undefined when it is not stored here.
 */
export function composeEmails(
  message: MessageRequest,
  rendered: RenderedTemplate | undefined,
  context: SendContext,
): readonly SubmittedEmail[] {
  const { draft, facts, messageId, sendAt, recipientVariables } = message;
  const { "header:from": sender = "", "header:reply-to": replyTo = "" } = rendered ?? {};
  const from = draft.from ?? parseMailbox(sender) ?? postmasterOf(context);
  const content = {
    ...draft,
    from,
    replyTo: draft.replyTo.length > 0 ? draft.replyTo : (parseMailboxes(replyTo) ?? []),
    ...templateBodies(message, rendered),
  };
  // A Message-Id of the request is kept.
  const identify: SubmittedEmail["identify"] = (uuid) => {
    const providerId = mailgunIdOf(uuid, context);
    return { providerId, messageId: messageId ?? providerId };
  };
  const recipients = withoutRepetitions([...draft.to, ...draft.cc, ...draft.bcc]);
  const email = emailOf(content, { ...facts, sendAt, identify, recipients });
  if (recipientVariables === null) return [email];
  const batch = new Batch(email, recipientVariables);
  return draft.to.map((recipient) => batch.emailTo(recipient));
}

function postmasterOf({ domain }: SendContext): DraftMailbox {
  return { name: "", address: `postmaster@${domain}` };
}

/** Bodies and subject that the request leaves to the template; one that is not stored is shown as its id and its data. */
function templateBodies(
  { draft, facts: { template }, hasText }: MessageRequest,
  rendered: RenderedTemplate | undefined,
): Partial<EmailDraft> {
  if (template === null) return {};
  const shown = showUnstoredTemplate(template.id, template.data);
  const subject = draft.subject || (rendered?.["header:subject"] ?? shown.subject);
  if (rendered === undefined) return { subject, text: draft.text ?? shown.text };
  const { html = "" } = rendered;
  return { subject, text: draft.text ?? (hasText ? textOfHtml(html) : null), html };
}

/** Mails of one request that differ by the variables of their recipients. */
class Batch {
  readonly #email: DraftedEmail;
  readonly #variables: ReadonlyMap<string, JsonObject>;
  readonly #take = batchCounter(() => mailgunError(texts.batchTooLarge, "message_too_large"));

  constructor(email: DraftedEmail, variables: ReadonlyMap<string, JsonObject>) {
    this.#email = email;
    this.#variables = variables;
  }

  /** Returns the mail to a recipient; throws Mailgun's error when the batch is too large. */
  emailTo(recipient: DraftMailbox): SubmittedEmail {
    const { content, facts } = this.#email;
    for (const { content: bytes } of content.attachments) this.#take(bytes.byteLength);
    const replace = this.#replacement(recipient);
    const metadata = Object.entries(facts.metadata).map(([name, value]) => [name, replace(value)] as const);
    return {
      ...this.#email,
      content: {
        ...content,
        to: [recipient],
        subject: replace(content.subject),
        text: content.text === null ? null : replace(content.text),
        html: content.html === null ? null : replace(content.html),
        headers: content.headers.map(([name, value]) => [name, replace(value)]),
      },
      recipients: addressesOf([recipient, ...content.cc, ...content.bcc]),
      facts: { ...facts, metadata: Object.fromEntries(metadata) },
    };
  }

  /** Returns a function that replaces the variables of a recipient in texts; unknown ones stay as they are. */
  #replacement({ name, address }: DraftMailbox): (text: string) => string {
    const [firstName = "", ...otherNames] = name.split(" ");
    const own = this.#variables.get(address.toLowerCase()) ?? {};
    const predefined: Readonly<Record<string, string>> = {
      "%recipient%": name === "" ? address : `${name} <${address}>`,
      "%recipient_email%": address,
      "%recipient_name%": name,
      "%recipient_fname%": firstName,
      "%recipient_lname%": otherNames.join(" "),
    };
    return (text) => {
      this.#take(text.length);
      return text.replaceAll(/%recipient(?:_[a-z]{4,5}|\.([^%\s]{1,200}))?%/g, (match, name: string | undefined) => {
        const value =
          name === undefined ? predefined[match] : Object.hasOwn(own, name) ? plainText(own[name]) : undefined;
        this.#take(value?.length ?? 0);
        return value ?? match;
      });
    };
  }
}

/** Returns the mail of a request; its bytes are stored unchanged. Tags and variables may be header fields of the mail. */
export function composeMime({ to, raw, facts, sendAt }: MimeRequest, context: SendContext): SubmittedEmail {
  const mail = readMailHeader(raw);
  const sender = mail.from[0]?.email ?? "";
  const valuesOf = (name: string): readonly string[] =>
    mail.headers.flatMap(({ field, value }) => (field.toLowerCase() === name ? [value] : []));
  const variables = valuesOf("x-mailgun-variables").flatMap((text) => textsOf(readJsonObject(text) ?? {}));
  return wholeEmailOf(raw, {
    mailFrom: isEmailAddress(sender) ? sender : postmasterOf(context).address,
    recipients: withoutRepetitions(to),
    tags: [...new Set([...valuesOf("x-mailgun-tag"), ...facts.tags])],
    metadata: Object.fromEntries([...variables, ...Object.entries(facts.metadata)]),
    sendAt,
    identify: (uuid) => ({ providerId: mailgunIdOf(uuid, context), messageId: null }),
  });
}
