/** Valid messages → mails that the service stores. */
import type { EmailDraft, SubmittedEmail } from "../email.ts";
import type { MailjetMessage } from "./request.ts";
import type { RenderedMessage } from "./templates.ts";

/** Sender of messages whose template that is not stored here would determine it. */
const unknownSender = { name: "", address: "sender@mailjet.invalid" };

/** Returns the mail of a message; each recipient is in the envelope once. */
export function composeEmail(message: MailjetMessage, rendered: RenderedMessage): SubmittedEmail {
  const { to, cc, bcc, sender, template, variables, campaign, customId, eventPayload } = message;
  const { replyTo, subject, text, html } = rendered;
  const from = rendered.from ?? unknownSender;
  const metadata = { CustomID: customId, EventPayload: eventPayload };
  const draft: EmailDraft = {
    from,
    replyTo,
    to,
    cc,
    bcc,
    subject,
    text,
    html,
    headers: sender === null ? message.headers : [...message.headers, ["Sender", sender.address]],
    attachments: message.attachments,
  };
  const recipients = new Map<string, string>();
  for (const { address } of [...to, ...cc, ...bcc].toReversed()) recipients.set(address.toLowerCase(), address);
  return {
    content: draft,
    mailFrom: sender?.address ?? from.address,
    recipients: [...recipients.values()].toReversed(),
    facts: {
      tags: campaign === "" ? [] : [campaign],
      metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== "")),
      template: template === null ? null : { id: template, data: variables },
    },
    sendAt: null,
    identify: (uuid) => ({ providerId: uuid, messageId: `<${uuid}@mailjet.com>` }),
  };
}
