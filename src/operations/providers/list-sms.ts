import type { Principal } from "../../core/api-key.ts";
import { notFound } from "../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Message, Summary } from "../../core/message.ts";
import type { SmsFilter, StoredSms } from "../../providers/sms.ts";
import type { Context } from "../context.ts";
import { findCatchAll } from "../inbound/resolve-recipient.ts";
import { getMessages } from "../services/reading/get-message.ts";
import type { ProviderCaller } from "./provider-session.ts";
import { scheduledContent } from "../inbound/arriving-records.ts";
import { openMessageId, serversOf } from "../services/security/access.ts";
import { resolveNumber } from "../sms/receive-sms.ts";
import { mediaOf } from "./capture-sms.ts";
import { criteriaOf, readMessage, searchReceived, sectionOf } from "./stored-emails.ts";

/** Filter of SMS; `provider` null matches those that were not submitted through the provider too. */
type TextFilter = SmsFilter & { readonly provider: string | null };

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
  const servers = await searchedServers(context, principal, filter);
  const { ids, hasMore } = await sectionOf(filter, servers, async (server, countMax) =>
    collect(context, server, { filter, countMax }),
  );
  return { texts: await Array.fromAsync(getMessages(context, principal, ids)), hasMore };
}

async function searchedServers(
  context: Context,
  principal: Principal,
  { to }: TextFilter,
): Promise<ReadonlySet<ServerId>> {
  const own = serversOf(principal);
  if (own !== null) return new Set(own);
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
  const { since, before } = filter;
  const criteria = criteriaOf(filter);
  const texts: Summary[] = [];
  for (let page = 0; page * stepCount < lookedAtMax && texts.length < countMax; page += 1) {
    const found = await searchReceived(context, server, { criteria, since, countMax: stepCount, page });
    const passes = ({ type, received }: Summary): boolean =>
      type === "SMS" && (before === null || Date.parse(received) < before);
    texts.push(...found.summaries.filter(passes));
    if (!found.hasMore) break;
  }
  return texts.slice(0, countMax);
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
  const message = await readMessage(context, principal, id);
  const isReadable = isKnown || message?.provider?.name === provider;
  return message?.type === "SMS" && isReadable ? toStoredSms(message) : undefined;
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
  const criteria = { match: "ALL", providerId: id } as const;
  const { summaries } = await searchReceived(context, server, { criteria, countMax: 1 });
  const [summary] = summaries;
  const sms = summary === undefined ? undefined : await readSms(context, caller, summary.id);
  return sms === undefined ? undefined : { ...sms, id };
}
