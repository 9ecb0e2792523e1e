/** Mails read back through the API of their provider, and the lists of mails and SMS. */
import { summariesOf } from "../services/reading/stored-detail.ts";
import type { Principal } from "../../core/api-key.ts";
import { type Criteria, givenCriteria, type Page } from "../../core/criteria.ts";
import { criteriaExpression } from "../../core/search/build-expression.ts";
import { notFound, Problem } from "../../core/errors.ts";
import { foldAddress } from "../../core/fold.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Message, Summary } from "../../core/message.ts";
import type { EmailFilter, StoredEmail } from "../../providers/email.ts";
import type { Context } from "../context.ts";
import { findCatchAll } from "../inbound/resolve-recipient.ts";
import { getMessage, getMessages } from "../services/reading/get-message.ts";
import { openMessageId } from "../services/security/access.ts";
import type { ProviderCaller } from "./provider-session.ts";

/** Depth of paging: `page` and `itemsPerPage` reach no further. */
const depthMax = 1000;
/** Servers that the list of an account searches: the catch-all, and others that have messages. */
const serverCountMax = 200;

/** Returns a stored mail; undefined when the caller has none with this UUID that came through the provider. */
export async function findStoredEmail(
  context: Context,
  caller: ProviderCaller,
  uuid: string,
): Promise<StoredEmail | undefined> {
  const id = openMessageId(caller.principal, uuid);
  const message = (await readEmail(context, caller, id)) ?? (await readSubmitted(context, caller, id));
  return message === undefined ? undefined : storedEmail(message);
}

async function readEmail(
  context: Context,
  { principal, provider }: ProviderCaller,
  id: MessageId,
): Promise<Message | undefined> {
  const message = await readMessage(context, principal, id);
  return message?.provider?.name === provider && message.type === "Email" ? message : undefined;
}

/** Returns a message; undefined when the principal has none with this id. */
export async function readMessage(context: Context, principal: Principal, id: MessageId): Promise<Message | undefined> {
  return getMessage(context, principal, id).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  });
}

/** Returns the mail that was scheduled under this UUID and has arrived under another one. */
async function readSubmitted(context: Context, caller: ProviderCaller, uuid: MessageId): Promise<Message | undefined> {
  const criteria = { match: "ALL", provider: caller.provider, providerId: uuid } as const;
  const { summaries } = await searchReceived(context, decodeMessageId(uuid).server, { criteria, countMax: 1 });
  const [found] = summaries;
  return found === undefined ? undefined : readEmail(context, caller, found.id);
}

/** Implements `listEmails` of the contract of providers. */
export async function listEmails(
  context: Context,
  caller: ProviderCaller,
  filter: EmailFilter,
): Promise<{ readonly emails: readonly StoredEmail[]; readonly hasMore: boolean }> {
  const criteria = criteriaOf({ ...filter, provider: caller.provider });
  const { ids, hasMore } = await sectionOf(filter, await serversOf(context, caller), async (server) => {
    const { since } = filter;
    return (await searchReceived(context, server, { criteria, since, countMax: depthMax })).summaries;
  });
  return { emails: await readEmails(context, caller, ids), hasMore };
}

/** Reads mails one by one; bodies beyond the budget of a page are null. */
async function readEmails(
  context: Context,
  { principal }: ProviderCaller,
  ids: readonly MessageId[],
): Promise<readonly StoredEmail[]> {
  const emails: StoredEmail[] = [];
  let length = 0;
  for await (const message of getMessages(context, principal, ids)) {
    if (message.type !== "Email") continue;
    const { html, text } = message;
    length += (html.body?.length ?? 0) + (text.body?.length ?? 0);
    const isShown = length <= context.limits.fullPageBytesMax;
    const bodies = isShown ? { html, text } : { html: { ...html, body: null }, text: { ...text, body: null } };
    emails.push(storedEmail({ ...message, ...bodies }));
  }
  return emails;
}

async function serversOf(context: Context, { principal }: ProviderCaller): Promise<readonly ServerId[]> {
  if (principal.server !== null) return [principal.server];
  const catchAll = await findCatchAll(context);
  const servers = await context.store.listServers();
  const others = servers.flatMap(({ id, messages }) => (messages > 0 && id !== catchAll ? [id] : []));
  return [...(catchAll === undefined ? [] : [catchAll]), ...others].slice(0, serverCountMax);
}

/** Conditions of the lists of providers, as criteria; null matches any. */
export function criteriaOf({
  from,
  to,
  provider,
  tag = null,
}: Pick<EmailFilter, "from" | "to"> & { readonly provider: string | null; readonly tag?: string | null }): Criteria {
  return {
    match: "ALL",
    ...(provider !== null && { provider }),
    ...(tag !== null && { tag }),
    ...(to !== null && { sentTo: foldAddress(to) }),
    ...(from !== null && { sentFrom: foldAddress(from) }),
  };
}

/** Search of a server. */
interface ReceivedSearch {
  readonly criteria: Criteria;
  /** Received then or later; null for no such bound, the default. */
  readonly since?: number | null;
  readonly countMax: number;
  /** Pages of `countMax` summaries that are left out; 0 by default. */
  readonly page?: number;
}

/** Returns the summaries of received messages that meet the criteria, newest first; all without any. */
export async function searchReceived(
  { store }: Context,
  server: ServerId,
  { criteria, since = null, countMax, page = 0 }: ReceivedSearch,
): Promise<{ readonly summaries: readonly Summary[]; readonly hasMore: boolean }> {
  const receivedAfter = since === null ? null : since - 1;
  const wanted: Page = { page, itemsPerPage: countMax, receivedAfter, direction: "Received", afterSequence: null };
  const isOpen = givenCriteria(criteria).length === 0;
  const found = isOpen
    ? await store.listMessages(server, wanted)
    : await store.searchMessages(server, criteriaExpression(criteria), wanted);
  return { summaries: summariesOf(found), hasMore: found.hasMore };
}

/** Returns a page of the messages that `find` returns for each server, newest first, and whether more follow; no deeper than 1000. */
export async function sectionOf(
  { page, itemsPerPage, before }: Pick<EmailFilter, "page" | "itemsPerPage" | "before">,
  servers: Iterable<ServerId>,
  find: (server: ServerId, countMax: number) => Promise<readonly Summary[]>,
): Promise<{ readonly ids: readonly MessageId[]; readonly hasMore: boolean }> {
  const end = (page + 1) * itemsPerPage;
  if (end > depthMax) return { ids: [], hasMore: false };
  const found: { readonly id: MessageId; readonly at: number }[] = [];
  for (const server of servers) {
    // Summaries are large; only what orders them is kept.
    const summaries = await find(server, end + 1);
    found.push(...summaries.map(({ id, received }) => ({ id, at: Date.parse(received) })));
  }
  const ordered = found
    .filter(({ at }) => before === null || at < before)
    .toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  const ids = ordered.slice(end - itemsPerPage, end).map(({ id }) => id);
  return { ids, hasMore: ordered.length > end && end < depthMax };
}

/** Returns a message in the form of the contract; throws `not_found` for one that came another way. */
function storedEmail(message: Message): StoredEmail {
  const { provider } = message;
  if (provider === null || provider === undefined) throw notFound("Message");
  const { id: providerId, tags, metadata, template, scheduledAt } = provider;
  return {
    providerId,
    id: message.id,
    status: "delivered",
    createdAt: Date.parse(message.received),
    sendAt: scheduledAt === null ? null : Date.parse(scheduledAt),
    facts: { tags, metadata, template },
    message,
  };
}
