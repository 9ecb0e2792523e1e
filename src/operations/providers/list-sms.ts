import type { Principal } from "../../core/api-key.ts";
import type { Criteria, Page } from "../../core/criteria.ts";
import { notFound, Problem } from "../../core/errors.ts";
import { criteriaExpression } from "../../core/search/criteria-expression.ts";
import { summariesOf } from "../services/reading/summaries-of.ts";
import { foldAddress } from "../../core/fold.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Message, Summary } from "../../core/message.ts";
import type { StoredSms } from "../../providers/sms.ts";
import type { SummaryPage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { findCatchAll } from "../inbound/resolve-recipient.ts";
import { getMessage, getMessages } from "../services/reading/get-message.ts";
import type { ProviderCaller } from "./provider-session.ts";
import { scheduledContent } from "../inbound/arriving-records.ts";
import { openMessageId } from "../services/security/access.ts";
import { resolveNumber } from "../sms/receive-sms.ts";
import { mediaOf } from "./capture-sms.ts";

/** Filter of SMS; null matches any. */
interface TextFilter {
  readonly from: string | null;
  readonly to: string | null;
  /** Range of receipt: from this instant, before the other; milliseconds since the Unix epoch. */
  readonly since: number | null;
  readonly before: number | null;
  /** 0-based. */
  readonly page: number;
  readonly itemsPerPage: number;
  /** Only SMS that were submitted through this provider; null for all. */
  readonly provider: string | null;
}

/** Depth of paging: `page` and `itemsPerPage` reach no further. */
const depthMax = 1000;
/** Summaries per query, and summaries of a server that are searched for its SMS. */
const stepCount = 1000;
const lookedAtMax = 10_000;

/**
 * Returns received SMS, newest first: of the server of a restricted key, else of the server of the number `to`, or without
 * it of all servers with numbers and of the catch-all.
 */
export async function listSms(
  context: Context,
  principal: Principal,
  filter: TextFilter,
): Promise<{ readonly texts: readonly Message[]; readonly hasMore: boolean }> {
  const end = (filter.page + 1) * filter.itemsPerPage;
  if (end > depthMax) return { texts: [], hasMore: false };
  const found: Summary[] = [];
  for (const server of await serversOf(context, principal, filter)) {
    found.push(...(await collect(context, server, { filter, countMax: end + 1 })));
  }
  const ids = found.map(({ id, received }) => ({ id, received })).toSorted((a, b) => compare(b, a));
  const page = ids.slice(end - filter.itemsPerPage, end).map(({ id }) => id);
  return {
    texts: await Array.fromAsync(getMessages(context, principal, page)),
    hasMore: ids.length > end && end < depthMax,
  };
}

async function serversOf(context: Context, principal: Principal, { to }: TextFilter): Promise<ReadonlySet<ServerId>> {
  if (principal.server !== null) return new Set([principal.server]);
  if (to !== null) return setOf(await resolveNumber(context, to));
  const numbers = await context.store.phoneNumbers.listPhoneNumbers();
  return new Set([...numbers.map(({ server }) => server), ...setOf(await findCatchAll(context))]);
}

function setOf(server: ServerId | undefined): ReadonlySet<ServerId> {
  return new Set(server === undefined ? [] : [server]);
}

/** Returns the newest SMS of one server that match the filter, at most `countMax`. */
async function collect(
  context: Context,
  server: ServerId,
  { filter, countMax }: { filter: TextFilter; countMax: number },
): Promise<readonly Summary[]> {
  const texts: Summary[] = [];
  for (let page = 0; page * stepCount < lookedAtMax && texts.length < countMax; page += 1) {
    const { json, hasMore } = await ask(context, server, { filter, page });
    const summaries = summariesOf({ json });
    texts.push(...summaries.filter((one) => passes(one, filter)));
    if (!hasMore) break;
  }
  return texts.slice(0, countMax);
}

async function ask(
  { store }: Context,
  server: ServerId,
  { filter: { from, to, since, provider }, page }: { filter: TextFilter; page: number },
): Promise<SummaryPage> {
  const receivedAfter = since === null ? null : since - 1;
  const wanted: Page = { page, itemsPerPage: stepCount, receivedAfter, direction: "Received", afterSequence: null };
  if (from === null && to === null && provider === null) return store.listMessages(server, wanted);
  const criteria: Criteria = {
    match: "ALL",
    ...(from !== null && { sentFrom: foldAddress(from) }),
    ...(to !== null && { sentTo: foldAddress(to) }),
    ...(provider !== null && { provider }),
  };
  return store.searchMessages(server, criteriaExpression(criteria), wanted);
}

function passes({ type, received }: Summary, { before }: TextFilter): boolean {
  return type === "SMS" && (before === null || Date.parse(received) < before);
}

function compare(a: Pick<Summary, "id" | "received">, b: Pick<Summary, "id" | "received">): number {
  return Date.parse(a.received) - Date.parse(b.received) || (a.id < b.id ? -1 : 1);
}

// SMS read back through the API of its provider.

/**
 * Returns an SMS by the id of its message, or by the UUID under which it is or was held. Rejects with `not_found`, also for
 * messages that are no SMS, and for those of other providers when the key of the caller is not stored.
 */
export async function findSms(context: Context, caller: ProviderCaller, uuid: string): Promise<StoredSms> {
  const id = openMessageId(caller.principal, uuid);
  const found = (await readSms(context, caller, id)) ?? (await readHeld(context, caller, id));
  // Between the two look-ups it may have arrived.
  const sms = found ?? (await readArrived(context, caller, id));
  if (sms === undefined) throw notFound("Message");
  return sms;
}

/** Returns an SMS in the form of the contract of providers. */
export function toStoredSms({ id, from, to, text, received, attachments, provider }: Message): StoredSms {
  const metadata = provider?.metadata ?? {};
  return {
    id,
    from: from[0]?.phone ?? "",
    to: to[0]?.phone ?? "",
    text: text.body ?? "",
    createdAt: Date.parse(received),
    metadata,
    media: mediaOf(metadata, attachments),
  };
}

async function readSms(
  context: Context,
  { principal, provider, isKnown }: ProviderCaller,
  id: MessageId,
): Promise<StoredSms | undefined> {
  try {
    const message = await getMessage(context, principal, id);
    const isReadable = isKnown || message.provider?.name === provider;
    return message.type === "SMS" && isReadable ? toStoredSms(message) : undefined;
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  }
}

async function readHeld(
  { store }: Context,
  { provider }: ProviderCaller,
  id: MessageId,
): Promise<StoredSms | undefined> {
  const held = await store.scheduledMessages.getScheduledMessage(id);
  const content = held === undefined ? undefined : scheduledContent(held);
  if (held === undefined || content === undefined || !("sms" in content)) return undefined;
  const { origin, from, to, text } = content.sms;
  if (origin.name !== provider) return undefined;
  const { metadata } = origin;
  // Media has no attachment before the SMS arrives.
  const media = mediaOf(metadata, []);
  return { id, from, to, text, createdAt: held.acceptedAt ?? held.sendAt, metadata, media };
}

/** Returns the SMS that was held under this UUID and has arrived under another one. */
async function readArrived(context: Context, caller: ProviderCaller, id: MessageId): Promise<StoredSms | undefined> {
  const { server } = decodeMessageId(id);
  const page = { page: 0, itemsPerPage: 1, receivedAfter: null, direction: "Received", afterSequence: null } as const;
  const { json } = await context.store.searchMessages(server, { kind: "key", role: "providerId", key: id }, page);
  const [summary] = summariesOf({ json });
  const sms = summary === undefined ? undefined : await readSms(context, caller, summary.id);
  return sms === undefined ? undefined : { ...sms, id };
}
