/** Mail that applications send, and as the APIs of providers read it back. */
import type {
  DraftMailbox,
  EmailDraft,
  EmailFilter,
  EmailSession,
  ProviderFacts,
  StoredEmail,
  SubmittedEmail,
} from "../email.ts";
import { Collection } from "./objects.ts";
import { onProblem, Rejection } from "./rejection.ts";

/** Ids and envelope of a mail, and the facts about it that exist only in the provider's API; none by default. */
interface SendFacts extends Partial<ProviderFacts & Pick<SubmittedEmail, "sendAt">>, Pick<SubmittedEmail, "identify"> {
  /** Envelope sender and recipients; those of the draft by default. */
  readonly mailFrom?: string;
  readonly recipients?: readonly DraftMailbox[];
}

/** Mail that has a draft. */
export interface DraftedEmail extends SubmittedEmail {
  readonly content: EmailDraft;
}

/** Returns the mail of a draft. */
export function emailOf(content: EmailDraft, facts: SendFacts): DraftedEmail {
  const { from, to, cc, bcc } = content;
  return { content, ...submissionOf({ mailFrom: from.address, recipients: [...to, ...cc, ...bcc], ...facts }) };
}

/** Returns a whole mail, which keeps its Message-ID field. */
export function wholeEmailOf(
  content: Uint8Array,
  { identify, ...facts }: SendFacts & Required<Pick<SendFacts, "mailFrom" | "recipients">>,
): SubmittedEmail {
  const own: SendFacts["identify"] = (uuid) => ({ ...identify(uuid), messageId: null });
  return { content, ...submissionOf({ ...facts, identify: own }) };
}

function submissionOf({
  tags = [],
  metadata = {},
  template = null,
  sendAt = null,
  recipients = [],
  mailFrom = "",
  identify,
}: SendFacts): Omit<SubmittedEmail, "content"> {
  const facts = { tags, metadata, template };
  return { mailFrom, recipients: recipients.map(({ address }) => address), facts, sendAt, identify };
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

/**
 * Stores mails as {@link submitBatch} does. Returns those that a server received; rejects with `refused` when there are mails
 * and no server receives any of them.
 */
export async function submitAll<Email extends SubmittedEmail>(
  session: Pick<EmailSession, "submitEmails">,
  emails: readonly Email[],
  refused: Rejection,
): Promise<readonly AcceptedEmail<Email>[]> {
  const outcomes = await submitBatch(session, emails, refused);
  const accepted = outcomes.flatMap((one) => (one instanceof Rejection ? [] : [one]));
  if (accepted.length === 0 && emails.length > 0) throw refused;
  return accepted;
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

type Scheduler = Pick<EmailSession, "objects" | "cancelEmail" | "rescheduleEmail">;

/** Scheduled mail with what the provider shows of it. */
export interface ScheduledItem<Shown> {
  readonly uuid: string;
  /** Milliseconds since the Unix epoch. */
  readonly sendAt: number;
  readonly shown: Shown;
}

/** Scheduled mails of a caller; those that have arrived are not listed any more. */
export class ScheduledEmails<Shown> {
  readonly #session: Scheduler;
  readonly #items: Collection<ScheduledItem<Shown>>;

  constructor(session: Scheduler) {
    this.#session = session;
    this.#items = new Collection(session, "scheduled");
  }

  /** Adds a mail that was scheduled. Cancels it and rejects with `limit_reached` when there are too many to list it. */
  async add(item: ScheduledItem<Shown>): Promise<void> {
    const adding = this.#items.create(item.uuid, item, { expiresAt: item.sendAt });
    await onProblem("limit_reached", adding, async (problem) => {
      await this.#session.cancelEmail(item.uuid);
      throw problem;
    });
  }

  /** Returns all mails in the order in which they were scheduled. */
  async all(): Promise<readonly ScheduledItem<Shown>[]> {
    return this.#items.all();
  }

  /** Returns a mail; undefined when there is none, or when it has arrived. */
  async find(uuid: string): Promise<ScheduledItem<Shown> | undefined> {
    return this.#items.find(uuid);
  }

  /** Cancels a mail; rejects as {@link EmailSession.cancelEmail}. */
  async cancel(uuid: string): Promise<void> {
    await this.#session.cancelEmail(uuid);
    await this.#items.remove(uuid);
  }

  /** Changes the instant of a mail; rejects as {@link EmailSession.rescheduleEmail}. */
  async reschedule(uuid: string, sendAt: number): Promise<void> {
    await this.#session.rescheduleEmail(uuid, sendAt);
    await this.#items.change(uuid, (item) => ({ ...item, sendAt }), { expiresAt: sendAt });
  }
}
