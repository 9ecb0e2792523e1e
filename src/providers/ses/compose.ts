/** Mails to submit, from the options and the content of a request. */
import type { EmailSession, EmailSubmission, ProviderFacts, SubmittedEmail } from "../email.ts";
import type { ProviderServices } from "../provider.ts";
import { addressesOf, checkRecipientCount, senderOf } from "./addresses.ts";
import { SesError } from "./errors.ts";
import { messageIdField, sesMessageId } from "./message-id.ts";
import type { MessageTag, Sending, SimpleContent } from "./request.ts";

/** Caller of an action. */
export interface Caller {
  readonly session: EmailSession;
  readonly services: Pick<ProviderServices, "now" | "renderTemplates">;
  readonly region: string;
}

/** Returns a mail that the service composes; throws `invalid` and `rejected`. */
export function simpleEmail(
  caller: Caller,
  sending: Sending,
  { template = null, ...content }: SimpleContent & { readonly template?: ProviderFacts["template"] },
): SubmittedEmail {
  if (sending.from === null || sending.from === "") throw new SesError("invalid", "Source cannot be empty");
  const from = senderOf(sending.from, caller.region);
  const { to, cc, bcc } = sending.recipients;
  const recipients = [...to, ...cc, ...bcc];
  checkRecipientCount(recipients.length);
  return {
    content: { ...content, from, replyTo: sending.replyTo, to, cc, bcc },
    mailFrom: sending.returnPath ?? from.address,
    recipients: addressesOf(recipients),
    facts: factsOf(sending.tags, sending.configurationSet, template),
    sendAt: null,
    identify: identifyFor(caller),
  };
}

/** Returns the function that names a mail. Amazon SES sets the Message-ID field of every mail, also of raw ones. */
export function identifyFor({ services, region }: Caller): SubmittedEmail["identify"] {
  const now = services.now();
  return (uuid) => {
    const providerId = sesMessageId(uuid, now);
    return { providerId, messageId: messageIdField(providerId, region) };
  };
}

/**
 * Returns the facts of a mail. Message tags are metadata, and tags as the field X-SES-MESSAGE-TAGS writes them
 * (`name=value`); the configuration set is metadata under the name that events of Amazon SES use.
 */
export function factsOf(
  tags: readonly MessageTag[],
  configurationSet: string | null,
  template: ProviderFacts["template"],
): ProviderFacts {
  const set: readonly MessageTag[] = configurationSet === null ? [] : [["ses:configuration-set", configurationSet]];
  return {
    tags: tags.map(([name, value]) => `${name}=${value}`),
    metadata: Object.fromEntries([...tags, ...set]),
    template,
  };
}

/** Stores one mail and returns its message id; throws `rejected` when no server receives mail for its recipients. */
export async function submitOne({ session }: Pick<Caller, "session">, email: SubmittedEmail): Promise<string> {
  const [submission] = await session.submitEmails([email]);
  return submittedId(submission);
}

/** Returns the message id of a submission; throws `rejected` when it was refused. */
export function submittedId(submission: EmailSubmission | undefined): string {
  if (submission === undefined || submission.refusal !== undefined) {
    throw new SesError("rejected", "No server receives mail for the recipients.");
  }
  return submission.providerId;
}
