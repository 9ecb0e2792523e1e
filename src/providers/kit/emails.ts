/** Mail that applications send, and as the APIs of providers read it back. */
import type { EmailDraft, EmailFilter, EmailSession, ProviderFacts, StoredEmail, SubmittedEmail } from "../email.ts";
import { Rejection } from "./rejection.ts";

/** Ids of a mail, and the facts about it that exist only in the provider's API; none by default. */
export interface SendFacts extends Partial<ProviderFacts>, Pick<SubmittedEmail, "identify"> {
  /** As in {@link SubmittedEmail}. */
  readonly sendAt?: number | null;
}

/** Mail that has a draft. */
export interface DraftedEmail extends SubmittedEmail {
  readonly content: EmailDraft;
}

/** Returns the mail of a draft, whose sender and recipients are those of the envelope. */
export function emailOf(
  content: EmailDraft,
  { tags = [], metadata = {}, template = null, sendAt = null, identify }: SendFacts,
): DraftedEmail {
  const { from, to, cc, bcc } = content;
  const recipients = [...to, ...cc, ...bcc].map(({ address }) => address);
  return { content, mailFrom: from.address, recipients, facts: { tags, metadata, template }, sendAt, identify };
}

/** Mail that was stored or scheduled, and its ids. */
export interface AcceptedEmail<Email> {
  readonly email: Email;
  readonly providerId: string;
  readonly uuid: string;
}

/**
 * Stores the mails among the items of a batch in one transaction. Returns the outcomes in the same order: rejections as they
 * are, and `refused` for a mail that no server receives.
 */
export async function submitBatch<Email extends SubmittedEmail>(
  session: Pick<EmailSession, "submitEmails">,
  items: readonly (Email | Rejection)[],
  refused: Rejection,
): Promise<readonly (AcceptedEmail<Email> | Rejection)[]> {
  const emails = items.flatMap((one) => (one instanceof Rejection ? [] : [one]));
  const submissions = (emails.length === 0 ? [] : await session.submitEmails(emails)).values();
  return items.map((email) => {
    if (email instanceof Rejection) return email;
    const submission = submissions.next().value;
    if (submission === undefined || submission.refusal !== undefined) return refused;
    return { email, providerId: submission.providerId, uuid: submission.uuid };
  });
}

/** Largest total size of all mails of one request, in bytes. */
const batchBytesMax = 50_000_000;

/**
 * Returns a function that counts bytes of the mails that one request causes for its recipients, before they are made; it throws
 * the error beyond 50 MB, since a small request can cause many mails.
 */
export function batchCounter(exceeded: () => Error): (bytes: number) => void {
  let bytesLeft = batchBytesMax;
  return (bytes) => {
    bytesLeft -= bytes;
    if (bytesLeft < 0) throw exceeded();
  };
}

/** Filter without a condition. */
export const anyEmail: Omit<EmailFilter, "page" | "itemsPerPage"> = {
  tag: null,
  to: null,
  from: null,
  since: null,
  before: null,
};

/** Bounds of a search: mails that are looked at, and those that are in memory at once. */
export interface SearchBounds {
  readonly countMax: number;
  readonly pageSize: number;
}

/** Yields the newest mails that match, newest first; absent members of the filter match all. */
export async function* newestEmails(
  session: Pick<EmailSession, "listEmails">,
  filter: Partial<typeof anyEmail>,
  { countMax, pageSize }: SearchBounds,
): AsyncGenerator<StoredEmail, void> {
  for (let page = 0; page * pageSize < countMax; page += 1) {
    const { emails, hasMore } = await session.listEmails({ ...anyEmail, ...filter, page, itemsPerPage: pageSize });
    yield* emails;
    if (!hasMore) return;
  }
}
