/** Facts about messages by which SORT and THREAD order them (RFC 5256). */
import { foldText } from "../../core/fold.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { mainTurns } from "../../core/shared-turns.ts";
import { parseAddressList } from "../../mime/address-list.ts";
import { readMailDate } from "../../core/mail-date.ts";
import type { MailFacts } from "../../operations/mailboxes/search/mailbox-query.ts";
import type { SelectedMailbox, SelectedMessage } from "./selected-mailbox.ts";
import type { ImapSession } from "./session.ts";

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

/** Base subjects (RFC 5256 section 2.1). */

/** Characters of a subject that are compared. */
const subjectLengthMax = 1000;
const trailer = /(?: |\(fwd\))$/i;
const leader = /^(?:\[[^[\]]*\] ?)*(?:re|fwd?) ?(?:\[[^[\]]*\] ?)?:/i;
const blob = /^\[[^[\]]*\] ?/;
const forwarded = /^\[fwd:(.*)\]$/is;

/** Subject without what replies and forwards add to it. */
interface BaseSubject {
  readonly text: string;
  /** Whether something of a reply or a forward was removed. */
  readonly isReply: boolean;
}

/** Returns the base subject of a decoded subject. */
export function baseSubjectOf(subject: string): BaseSubject {
  let text = subject.slice(0, subjectLengthMax).replaceAll(/\s+/g, " ");
  let isReply = false;
  for (;;) {
    for (let end = trailer.exec(text); end !== null; end = trailer.exec(text)) {
      isReply ||= end[0] !== " ";
      text = text.slice(0, end.index);
    }
    const stripped = withoutLeaders(text);
    isReply ||= stripped.isReply;
    text = stripped.text;
    const inner = forwarded.exec(text)?.[1];
    if (inner === undefined) return { text, isReply };
    isReply = true;
    text = inner;
  }
}

/** Removes `Re:`, `[list] Fwd:` and the like, and blobs in brackets unless nothing else is left. */
function withoutLeaders(subject: string): BaseSubject {
  let text = subject.trimStart();
  let isReply = false;
  for (;;) {
    const isOfReply = leader.test(text);
    const rest = text.replace(isOfReply ? leader : blob, "").trimStart();
    if (rest === text || (!isOfReply && rest === "")) return { text, isReply };
    isReply ||= isOfReply;
    text = rest;
  }
}
