/** SORT and UID SORT (RFC 5256). */
import { foldText } from "../../core/fold.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { readMailDate } from "../../core/mail-date.ts";
import { mainTurns } from "../../core/shared-turns.ts";
import { parseAddressList } from "../../mime/address-list.ts";
import type { MailFacts } from "../../operations/mailboxes/search/mailbox-query.ts";
import { atomOf, bad, listOf, ok, type RunCommand } from "./command.ts";
import { parseSearch } from "./parse-search.ts";
import { findMessages } from "./search-command.ts";
import type { SelectedMessage } from "./selected-mailbox.ts";
import type { SelectedSession } from "./session.ts";
import { sortThreads, threadNode, type ThreadNode, threadsByReferences, writeThreads } from "./thread-references.ts";
import { ImapSyntaxError, type ImapToken } from "./tokenise.ts";

// Facts about messages by which SORT and THREAD order them (RFC 5256).

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

/**
 * Returns the messages that a search finds, of which SORT and THREAD name the charset first; those that were deleted meanwhile are
 * left out. Stops when the client disconnects.
 */
async function findSortedMessages(
  session: SelectedSession,
  search: readonly ImapToken[],
): Promise<readonly SortedMessage[]> {
  const { context, connection, selected } = session;
  const request = parseSearch(search.length === 0 ? search : [{ kind: "atom", text: "CHARSET" }, ...search]);
  const found: SortedMessage[] = [];
  for (const message of selected.messagesOf(await findMessages(session, selected, request))) {
    await mainTurns.next();
    if (connection.isClosed) break;
    const facts = await context.operations.readFacts(selected.access, message.id);
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

type Comparison = (a: SortedMessage, b: SortedMessage) => number;

const byNumber =
  (value: (message: SortedMessage) => number): Comparison =>
  (a, b) =>
    value(a) - value(b);
const byText =
  (value: (message: SortedMessage) => string): Comparison =>
  (a, b) =>
    compareTexts(value(a), value(b));

const criteria: ReadonlyMap<string, Comparison> = new Map([
  ["ARRIVAL", byNumber(({ arrivedAt }) => arrivedAt)],
  ["CC", byText(({ cc }) => cc)],
  ["DATE", byNumber(({ sentAt }) => sentAt)],
  ["FROM", byText(({ from }) => from)],
  ["SIZE", byNumber(({ sizeBytes }) => sizeBytes)],
  ["SUBJECT", byText(({ subject }) => subject.text)],
  ["TO", byText(({ to }) => to)],
]);
/** Criteria of one command, with REVERSE. */
const criterionCountMax = 20;

/** Compares folded texts by their UTF-16 units. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** SORT, with numbers or with UIDs in its response. */
export const sort: RunCommand<SelectedSession> = async (session, [order, ...search], { isUid }) => {
  const comparisons = readCriteria(listOf(order, "The criteria"));
  const messages = await findSortedMessages(session, search);
  const sorted = messages.toSorted((a, b) => compareAll(comparisons, a, b));
  const numbers = sorted.map(({ message }) => ` ${isUid ? message.uid : message.number}`);
  await session.send(`* SORT${numbers.join("")}\r\n`);
  return ok("SORT completed");
};

function readCriteria(tokens: readonly ImapToken[]): readonly Comparison[] {
  if (tokens.length > criterionCountMax) throw new ImapSyntaxError("SORT has too many criteria");
  const comparisons: Comparison[] = [];
  let isReverse = false;
  for (const token of tokens) {
    const name = atomOf(token, "The criterion");
    const comparison = criteria.get(name);
    if (name === "REVERSE" && !isReverse) isReverse = true;
    else if (comparison === undefined) {
      throw new ImapSyntaxError(`The criteria of SORT are ${[...criteria.keys()].join(", ")}, and REVERSE before one`);
    } else {
      comparisons.push(isReverse ? (a, b) => -comparison(a, b) : comparison);
      isReverse = false;
    }
  }
  if (comparisons.length === 0 || isReverse) throw new ImapSyntaxError("SORT needs a criterion");
  return comparisons;
}

/** Compares by all criteria, then by number. */
function compareAll(comparisons: readonly Comparison[], a: SortedMessage, b: SortedMessage): number {
  for (const compare of comparisons) {
    const result = compare(a, b);
    if (result !== 0) return result;
  }
  return a.message.number - b.message.number;
}

const algorithms: ReadonlyMap<string, (messages: readonly SortedMessage[]) => readonly ThreadNode[]> = new Map([
  ["ORDEREDSUBJECT", threadsBySubject],
  ["REFERENCES", threadsByReferences],
]);

/** THREAD, with numbers or with UIDs in its response. */
export const thread: RunCommand<SelectedSession> = async (session, [name, ...search], { isUid }) => {
  const algorithm = algorithms.get(atomOf(name, "The algorithm"));
  if (algorithm === undefined) return bad(`The algorithms of THREAD are ${[...algorithms.keys()].join(", ")}`);
  const messages = await findSortedMessages(session, search);
  const threads = writeThreads(algorithm(messages), ({ message }) => (isUid ? message.uid : message.number));
  await session.send(`* THREAD${threads === "" ? "" : ` ${threads}`}\r\n`);
  return ok("THREAD completed");
};

/** Returns a thread for each base subject: the messages after the first one are its children. */
function threadsBySubject(messages: readonly SortedMessage[]): readonly ThreadNode[] {
  const groups = Map.groupBy(messages, ({ subject }) => subject.text);
  const threads = Array.from(groups.values(), (group) => {
    const [first, ...others] = group.toSorted((a, b) => a.sentAt - b.sentAt || a.message.number - b.message.number);
    const root = threadNode(first ?? null);
    root.children = others.map(threadNode);
    return root;
  });
  sortThreads(threads);
  return threads;
}
