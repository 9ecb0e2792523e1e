/** What belongs together: the texts between two numbers, and the mails that answer each other. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { readVisibleText } from "../../analysis/visible-reader.ts";
import type { Principal } from "../../core/api-key.ts";
import { foldAddress, foldText } from "../../core/fold.ts";
import type { Delivery } from "../../core/delivery.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Contact, Direction, Message, Summary } from "../../core/message.ts";
import type { FoldedCriteria } from "../../store/store.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import { getApprovedPhrases } from "../sms/approved-phrases.ts";
import type { WorkerCaller } from "../../workers/worker-rpc.ts";
import { callerOf, type CallerPresence } from "../services/security/caller-of.ts";
import type { Context } from "../context.ts";
import { getDelivery } from "./get-message.ts";
import { baseSubject, byTime, joinThread, type Member } from "../services/reading/join-thread.ts";
import { codesOf } from "../services/reading/email-bodies.ts";
import { decodeDetail, needsRaw, showBodies, showMessage } from "../services/reading/stored-detail.ts";

/** One message of a conversation. */
export interface Turn {
  readonly id: MessageId;
  readonly direction: Direction;
  readonly from: readonly Contact[];
  readonly to: readonly Contact[];
  readonly subject: string;
  readonly received: string;
  /** The text body from its start, at most {@link turnTextLengthMax} UTF-16 units; of mails without one, what the HTML shows. */
  readonly text: string;
  readonly codes: readonly string[];
  /** How many. */
  readonly attachments: number;
  /** Of sent messages only. */
  readonly delivery?: Delivery;
}

/** A conversation. */
export interface Conversation {
  /** Oldest first; the message that was asked for is among them, and no mail twice. */
  readonly turns: readonly Turn[];
  /** What a text may be answered with, and whether its number has anywhere to answer to; null for mail. */
  readonly answers: { readonly phrases: readonly string[]; readonly hasHook: boolean } | null;
}

type Dependencies = Pick<Context, "store" | "settings" | "bodies"> & { readonly caller: WorkerCaller };

/** Messages of either direction that are looked through; what is older is not found. */
export const candidateCountMax = 100;
/** How much of a message's text a conversation shows. */
export const turnTextLengthMax = 4000;

/**
 * The conversation that a message belongs to. Texts: all between the same two numbers. Mail: what is joined by
 * `In-Reply-To` and `References` (RFC 5322 §3.6.4), looked for among the newest messages with the same subject, apart from
 * `Re:` and the like. Rejects with `not_found`.
 */
export async function readConversation(
  from: Omit<Dependencies, "caller"> & CallerPresence,
  principal: Principal,
  idText: string,
): Promise<Conversation> {
  const context: Dependencies = { ...from, caller: callerOf(principal, from) };
  const id = openMessageId(principal, idText);
  const asked = await readMember(context, id);
  if (asked.detail.message.type === "SMS") return readTexts(context, asked);
  const members = await readMembers(context, asked, {
    subject: foldText(baseSubject(asked.detail.message.subject)),
    match: "ALL",
  });
  const thread = joinThread(asked, members);
  return { turns: await toTurns(context, thread), answers: null };
}

async function readTexts(context: Dependencies, asked: Member): Promise<Conversation> {
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
    answers: { phrases: await getApprovedPhrases(context), hasHook: (owned?.webhook ?? null) !== null },
  };
}

/** The newest messages of both directions that meet the criteria, and the one that was asked for. */
async function readMembers(context: Dependencies, asked: Member, criteria: FoldedCriteria): Promise<readonly Member[]> {
  const { server } = decodeMessageId(asked.id);
  const page = { page: 0, itemsPerPage: candidateCountMax, receivedAfter: null, afterSequence: null };
  const members = new Map([[asked.id, asked]]);
  for (const direction of ["Received", "Sent"] as const) {
    const found = hasAim(criteria)
      ? await context.store.searchMessages(server, criteria, { ...page, direction })
      : await context.store.listMessages(server, { ...page, direction });
    for (const { id } of JSON.parse(`[${Buffer.from(found.json).toString("utf8")}]`) as readonly Summary[]) {
      const detail = members.has(id) ? undefined : await context.store.getDetail(id);
      if (detail !== undefined) members.set(id, { id, detail: decodeDetail(detail) });
    }
  }
  return [...members.values()];
}

/** Mails without a subject are looked for among all. */
function hasAim({ subject }: FoldedCriteria): boolean {
  return subject === undefined || subject !== "";
}

async function readMember(context: Dependencies, id: MessageId): Promise<Member> {
  return { id, detail: decodeDetail(orNotFound(await context.store.getDetail(id), "Message")) };
}

function phoneOf(contacts: readonly Contact[]): string {
  return foldAddress(contacts[0]?.phone ?? "");
}

/** One after the other, with a turn of the event loop between two: each may take some milliseconds. */
async function toTurns(context: Dependencies, members: readonly Member[]): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  for (const member of members) {
    turns.push(await toTurn(context, member));
    await nextTurn();
  }
  return turns;
}

async function toTurn({ store, bodies, caller }: Dependencies, { id, detail }: Member): Promise<Turn> {
  const { direction } = decodeMessageId(id);
  const raw = needsRaw(detail) ? await store.getRaw(id) : undefined;
  const shown = await showBodies(detail, raw ?? new Uint8Array(), { bodies, caller });
  const message = showMessage(detail, shown, "");
  const { from, to, subject, received, attachments } = message;
  const delivery = direction === "Sent" ? await getDelivery({ store }, id) : undefined;
  return {
    id,
    direction,
    from,
    to,
    subject,
    received,
    text: visibleTextOf(message).slice(0, turnTextLengthMax),
    codes: codesOf(message),
    attachments: attachments.length,
    ...(delivery !== undefined && { delivery }),
  };
}

function visibleTextOf({ text, html }: Message): string {
  return text.body ?? readVisibleText((html.body ?? "").slice(0, readHtmlLengthMax));
}

/** How much of an HTML body without a text beside it is read. */
const readHtmlLengthMax = 32 * 1024;
