/** Conversations: the SMS between two numbers, and threads of mail. */
import { baseSubject, foldAddress, foldText } from "../../core/fold.ts";
import { readVisibleText } from "../../analysis/visible-reader.ts";
import type { Principal } from "../../core/api-key.ts";
import type { Delivery } from "../../core/delivery.ts";
import { FairQueue } from "../../core/fair-queue.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Contact, Direction, Message } from "../../core/message.ts";
import { mainTurns } from "../../core/shared-turns.ts";
import type { Criteria } from "../../core/criteria.ts";
import { criteriaExpression } from "../../core/search/build-expression.ts";
import {
  summariesOf,
  decodeDetail,
  decodeExcerpt,
  needsRaw,
  showBodies,
  showMessage,
  inlineCountOf,
  type StoredDetail,
} from "../services/reading/stored-detail.ts";
import type { WorkerCaller } from "../../workers/worker-rpc.ts";
import type { Context } from "../context.ts";
import { codesOf } from "../services/reading/email-bodies.ts";
import { callerOf, openMessageId, orNotFound } from "../services/security/access.ts";
import { getApprovedPhrases } from "../sms/phone-numbers.ts";
import { getDelivery } from "../services/reading/get-message.ts";

/** Message of a conversation. */
export interface Turn {
  readonly id: MessageId;
  readonly direction: Direction;
  readonly from: readonly Contact[];
  readonly to: readonly Contact[];
  readonly subject: string;
  readonly received: string;
  /** Start of the text body, at most {@link turnTextLengthMax} UTF-16 units; the visible text of the HTML without one. */
  readonly text: string;
  readonly codes: readonly string[];
  /** Without those that are shown within the text. */
  readonly attachments: number;
  /** Present for sent messages only. */
  readonly delivery?: Delivery;
}

/** Conversation. */
export interface Conversation {
  /** Oldest first, including the requested message, without duplicates. */
  readonly turns: readonly Turn[];
  /** Approved phrases for replies to an SMS, and whether its number has a way to reply; null for mail. */
  readonly answers: { readonly phrases: readonly string[]; readonly hasWebhook: boolean } | null;
}

type Dependencies = Context & { readonly caller: WorkerCaller };

/** Number of newest messages of either direction that are searched. */
export const candidateCountMax = 100;
/** Length of a message's text in a conversation, in UTF-16 units. */
export const turnTextLengthMax = 4000;

/**
 * Returns the conversation of a message. SMS: all between the same two numbers. Mail: the thread by `In-Reply-To` and
 * `References` (RFC 5322 §3.6.4), among the newest messages with the same base subject. Rejects with `not_found`.
 */
export async function readConversation(from: Context, principal: Principal, idText: string): Promise<Conversation> {
  const context: Dependencies = { ...from, caller: callerOf(principal, from) };
  const id = openMessageId(principal, idText);
  const asked = await readMember(context, id);
  if (asked.detail.message.type === "SMS") return readSmsBetween(context, asked);
  return { turns: await toTurns(context, await threadOf(context, asked)), answers: null };
}

/** Returns the ids of the mails in the thread of a mail, as {@link readConversation} finds them, oldest first. Rejects with `not_found`. */
export async function readThread(
  context: Context,
  principal: Principal,
  idText: string,
): Promise<readonly MessageId[]> {
  const asked = await readMember(context, openMessageId(principal, idText));
  return (await threadOf(context, asked)).map(({ id }) => id);
}

async function threadOf(context: Pick<Context, "store">, asked: Member): Promise<readonly Member[]> {
  const subject = foldText(baseSubject(asked.detail.message.subject));
  return joinThread(asked, await readMembers(context, asked, { subject, match: "ALL" }));
}

async function readSmsBetween(context: Dependencies, asked: Member): Promise<Conversation> {
  const { from, to } = asked.detail.message;
  const [one, other] = [phoneOf(from), phoneOf(to)];
  const there = await readMembers(context, asked, { sentFrom: one, sentTo: other, match: "ALL" });
  const back = await readMembers(context, asked, { sentFrom: other, sentTo: one, match: "ALL" });
  const members = new Map([...there, ...back].map((member) => [member.id, member]));
  const isSent = decodeMessageId(asked.id).direction === "Sent";
  const number = (isSent ? from : to)[0]?.phone ?? "";
  const owned = await context.store.phoneNumbers.findPhoneNumber(number);
  const sorted = [...members.values()].toSorted(byTime);
  return {
    turns: await toTurns(context, sorted),
    answers: { phrases: await getApprovedPhrases(context), hasWebhook: (owned?.webhook ?? null) !== null },
  };
}

/** Returns the newest messages of both directions that match the criteria, and the requested one. */
async function readMembers(
  context: Pick<Context, "store">,
  asked: Member,
  criteria: Criteria,
): Promise<readonly Member[]> {
  const { server } = decodeMessageId(asked.id);
  const page = { page: 0, itemsPerPage: candidateCountMax, receivedAfter: null, afterSequence: null };
  const members = new Map([[asked.id, asked]]);
  for (const direction of ["Received", "Sent"] as const) {
    const found = hasAim(criteria)
      ? await context.store.searchMessages(server, criteriaExpression(criteria), { ...page, direction })
      : await context.store.listMessages(server, { ...page, direction });
    for (const { id } of summariesOf(found)) {
      const detail = members.has(id) ? undefined : await context.store.getDetail(id);
      if (detail !== undefined) members.set(id, { id, detail: decodeDetail(detail) });
    }
  }
  return [...members.values()];
}

/** Criteria for the base subject; all messages match when it is empty. */
function hasAim({ subject }: Criteria): boolean {
  return subject === undefined || subject !== "";
}

async function readMember(context: Pick<Context, "store">, id: MessageId): Promise<Member> {
  return { id, detail: decodeDetail(orNotFound(await context.store.getDetail(id), "Message")) };
}

function phoneOf(contacts: readonly Contact[]): string {
  return foldAddress(contacts[0]?.phone ?? "");
}

/** Reads the messages one at a time and yields to the event loop between them: each may take some milliseconds. */
async function toTurns(context: Dependencies, members: readonly Member[]): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  for (const member of members) {
    turns.push(await toTurn(context, member));
    await mainTurns.next();
  }
  return turns;
}

async function toTurn({ store, bodies, caller }: Dependencies, { id, detail }: Member): Promise<Turn> {
  const { direction } = decodeMessageId(id);
  const raw = needsRaw(detail) ? await store.getRaw(id) : undefined;
  const shown = await showBodies(detail, raw ?? new Uint8Array(), { bodies, caller });
  const message = showMessage(detail, shown, "");
  const { from, to, subject, received, attachments } = message;
  const delivery = direction === "Sent" ? await getDelivery(store, id) : undefined;
  return {
    id,
    direction,
    from,
    to,
    subject,
    received,
    text: visibleTextOf(message).slice(0, turnTextLengthMax),
    codes: codesOf(message),
    attachments: attachments.length - inlineCountOf(detail),
    ...(delivery !== undefined && { delivery }),
  };
}

function visibleTextOf({ text, html }: Message): string {
  return text.body ?? readVisibleText((html.body ?? "").slice(0, readHtmlLengthMax));
}

/** Length of the HTML that is read of mails without a text body. */
const readHtmlLengthMax = 32 * 1024;

/** Stored facts about a message, without its bodies. */
export interface MessageHead {
  readonly id: MessageId;
  /** Detail without bodies: `html` and `text` are null. */
  readonly detail: StoredDetail;
  /** Size of the raw mail in bytes; 0 for an SMS. */
  readonly sizeBytes: number;
}

/** Messages that are read concurrently over all requests; one turn of the event loop reads no more. */
const readCountMax = 4;
const turns = new FairQueue({ runningCountMax: readCountMax, waitingPerKeyCountMax: 500, waitingCountMax: 5000 });

/**
 * Yields the heads of messages in the requested order, one at a time, without those of deleted messages. Throws `not_found`
 * when the principal may not access one of the ids, and `too_many_requests` when too many wait.
 */
export async function* readHeads(
  context: Context,
  principal: Principal,
  idTexts: readonly string[],
): AsyncGenerator<MessageHead, void> {
  const ids = idTexts.map((text) => openMessageId(principal, text));
  const { key, signal } = callerOf(principal, context);
  for (const id of ids) {
    const head = await turns.run(key, async () => readHead(context, id), signal);
    if (head !== undefined) yield head;
  }
}

async function readHead({ store }: Context, id: MessageId): Promise<MessageHead | undefined> {
  // The embedded store reads and decompresses on this thread: at most a few messages in each turn of the event loop.
  await mainTurns.next();
  const bytes = await store.getDetail(id);
  if (bytes === undefined) return undefined;
  const detail = decodeDetail(bytes);
  const { sizeBytes } = decodeExcerpt(bytes);
  return { id, detail: { ...detail, message: { ...detail.message, html: null, text: null } }, sizeBytes };
}

/** Message that may belong to a conversation. */
export interface Member {
  readonly id: MessageId;
  readonly detail: StoredDetail;
}

/** Length of header fields that is parsed, for hostile mail. */
const namesLengthMax = 64 * 1024;
const nameCountMax = 200;
/**
 * Returns the members of the requested message's thread, by Message-ID and references, oldest first. Of a mail between own
 * servers, which is both sent and received, returns the requested message, else the sent one.
 */
export function joinThread(asked: Member, members: readonly Member[]): readonly Member[] {
  const named = members.map((member) => ({ member, names: namesOf(member.detail) }));
  const known = new Set(namesOf(asked.detail));
  const joined = new Set([asked]);
  for (let before = 0; before < joined.size;) {
    before = joined.size;
    for (const { member, names } of named) {
      if (joined.has(member) || !names.some((name) => known.has(name))) continue;
      joined.add(member);
      for (const name of names) known.add(name);
    }
  }
  return withoutCopies([...joined].toSorted(byTime), asked);
}

/** Sorts by instant, then by id. */
function byTime(one: Member, other: Member): number {
  const [a, b] = [decodeMessageId(one.id).receivedAt, decodeMessageId(other.id).receivedAt];
  return a - b || (one.id < other.id ? -1 : 1);
}

function withoutCopies(members: readonly Member[], asked: Member): readonly Member[] {
  const kept = new Map<string, Member>();
  for (const member of members) {
    const name = fieldOf(member.detail, "message-id") || member.id;
    const other = kept.get(name);
    const isBetter = member === asked || (other !== asked && decodeMessageId(member.id).direction === "Sent");
    if (other === undefined || isBetter) kept.set(name, member);
  }
  const left = new Set(kept.values());
  return members.filter((member) => left.has(member));
}

/** Returns the Message-ID of a mail and the ids that it references. */
function namesOf(detail: StoredDetail): readonly string[] {
  const text = ["message-id", "in-reply-to", "references"].map((name) => fieldOf(detail, name)).join(" ");
  return (text.slice(0, namesLengthMax).match(/<[^<>\s]{1,998}>/g) ?? []).slice(0, nameCountMax);
}

function fieldOf({ message }: StoredDetail, name: string): string {
  return message.metadata.headers.find(({ field }) => field.toLowerCase() === name)?.value ?? "";
}
