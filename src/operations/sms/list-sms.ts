import type { Principal } from "../../core/api-key.ts";
import type { Page } from "../../core/criteria.ts";
import { foldAddress } from "../../core/fold.ts";
import type { ServerId } from "../../core/ids.ts";
import type { Message, Summary } from "../../core/message.ts";
import type { FoldedCriteria, SummaryPage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { getMessages } from "../messages/get-messages.ts";
import { resolveNumber } from "./receive-sms.ts";
import { findCatchAll } from "../inbound/resolve-recipient.ts";

type Dependencies = Pick<Context, "store" | "settings" | "bodies">;

/** Filter of SMS; null matches any. */
export interface TextFilter {
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
  context: Dependencies,
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

async function serversOf(
  context: Dependencies,
  principal: Principal,
  { to }: TextFilter,
): Promise<ReadonlySet<ServerId>> {
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
  context: Dependencies,
  server: ServerId,
  { filter, countMax }: { filter: TextFilter; countMax: number },
): Promise<readonly Summary[]> {
  const texts: Summary[] = [];
  for (let page = 0; page * stepCount < lookedAtMax && texts.length < countMax; page += 1) {
    const { json, hasMore } = await ask(context, server, { filter, page });
    const summaries = JSON.parse(`[${Buffer.from(json).toString("utf8")}]`) as readonly Summary[];
    texts.push(...summaries.filter((one) => passes(one, filter)));
    if (!hasMore) break;
  }
  return texts.slice(0, countMax);
}

async function ask(
  { store }: Dependencies,
  server: ServerId,
  { filter: { from, to, since, provider }, page }: { filter: TextFilter; page: number },
): Promise<SummaryPage> {
  const receivedAfter = since === null ? null : since - 1;
  const wanted: Page = { page, itemsPerPage: stepCount, receivedAfter, direction: "Received", afterSequence: null };
  if (from === null && to === null && provider === null) return store.listMessages(server, wanted);
  const criteria: FoldedCriteria = {
    match: "ALL",
    ...(from !== null && { sentFrom: foldAddress(from) }),
    ...(to !== null && { sentTo: foldAddress(to) }),
    ...(provider !== null && { provider }),
  };
  return store.searchMessages(server, criteria, wanted);
}

function passes({ type, received }: Summary, { before }: TextFilter): boolean {
  return type === "SMS" && (before === null || Date.parse(received) < before);
}

function compare(a: Pick<Summary, "id" | "received">, b: Pick<Summary, "id" | "received">): number {
  return Date.parse(a.received) - Date.parse(b.received) || (a.id < b.id ? -1 : 1);
}
