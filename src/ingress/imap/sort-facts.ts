/** Facts about messages by which SORT and THREAD order them (RFC 5256). */
import { foldText } from "../../core/fold.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { mainTurns } from "../../core/shared-turns.ts";
import { parseAddressList } from "../../mime/address-list.ts";
import { readMailDate } from "../../core/mail-date.ts";
import type { MailFacts } from "../../operations/mailboxes/search/mail-test.ts";
import type { SelectedMailbox, SelectedMessage } from "./selected-mailbox.ts";
import type { ImapSession } from "./session.ts";
import { baseSubjectOf, type BaseSubject } from "./base-subject.ts";

/** References of one message that are used: the last ones. */
const referenceCountMax = 100;

/** Message with the values that are compared; texts are folded. */
export interface SortedMessage {
  readonly message: SelectedMessage;
  readonly arrivedAt: number;
  /** Instant of the Date field, or of the arrival when it cannot be read. */
  readonly sentAt: number;
  readonly sizeBytes: number;
  readonly subject: BaseSubject;
  /** Local parts of the first address of each field; "" for none. */
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  /** Message-ID without brackets; null for none. */
  readonly messageId: string | null;
  /** Message-IDs of References, or else the first one of In-Reply-To. */
  readonly references: readonly string[];
}

/** Reads the facts of messages; those that were deleted meanwhile are left out. Stops when the client disconnects. */
export async function readSortedMessages(
  { context, connection }: ImapSession,
  { access }: SelectedMailbox,
  messages: readonly SelectedMessage[],
): Promise<readonly SortedMessage[]> {
  const found: SortedMessage[] = [];
  for (const message of messages) {
    await mainTurns.next();
    if (connection.isClosed) break;
    const facts = await context.operations.readFacts(access, message.id);
    if (facts !== undefined) found.push(sortedMessageOf(message, facts));
  }
  return found;
}

function sortedMessageOf(message: SelectedMessage, { headers, sizeBytes }: MailFacts): SortedMessage {
  const field = (name: string): string => headers.find((one) => one.field.toLowerCase() === name)?.value ?? "";
  const arrivedAt = decodeMessageId(message.id).receivedAt;
  const subject = baseSubjectOf(field("subject"));
  const references = idsIn(field("references"));
  return {
    message,
    arrivedAt,
    sentAt: readMailDate(field("date"))?.instant ?? arrivedAt,
    sizeBytes,
    subject: { ...subject, text: foldText(subject.text) },
    from: localPartIn(field("from")),
    to: localPartIn(field("to")),
    cc: localPartIn(field("cc")),
    messageId: idsIn(field("message-id"))[0] ?? null,
    references: references.length > 0 ? references.slice(-referenceCountMax) : idsIn(field("in-reply-to")).slice(0, 1),
  };
}

function idsIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/<([^<>\s]+)>/g), ([, id = ""]) => id);
}

function localPartIn(text: string): string {
  const address = parseAddressList(text)[0]?.email ?? "";
  return foldText(address.slice(0, Math.max(0, address.lastIndexOf("@"))));
}
