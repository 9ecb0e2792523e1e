/** Mails read back through the API of their provider. */
import { summariesOf } from "../services/reading/summaries-of.ts";
import type { Criteria } from "../../core/criteria.ts";
import { criteriaExpression } from "../../core/search/criteria-expression.ts";
import { notFound, Problem } from "../../core/errors.ts";
import { foldAddress } from "../../core/fold.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Message } from "../../core/message.ts";
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
  const message = (await readMessage(context, caller, id)) ?? (await readSubmitted(context, caller, id));
  return message === undefined ? undefined : storedEmail(message);
}

async function readMessage(
  context: Context,
  { principal, provider }: ProviderCaller,
  id: MessageId,
): Promise<Message | undefined> {
  try {
    const message = await getMessage(context, principal, id);
    return message.provider?.name === provider && message.type === "Email" ? message : undefined;
  } catch (error) {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  }
}

/** Returns the mail that was scheduled under this UUID and has arrived under another one. */
async function readSubmitted(context: Context, caller: ProviderCaller, uuid: MessageId): Promise<Message | undefined> {
  const criteria = { match: "ALL", provider: caller.provider, providerId: uuid } as const;
  const [id] = await search(context, decodeMessageId(uuid).server, { criteria, countMax: 1, since: null });
  return id === undefined ? undefined : readMessage(context, caller, id.id);
}

/** Implements `listEmails` of the contract of providers. */
export async function listEmails(
  context: Context,
  caller: ProviderCaller,
  filter: EmailFilter,
): Promise<{ readonly emails: readonly StoredEmail[]; readonly hasMore: boolean }> {
  const end = (filter.page + 1) * filter.itemsPerPage;
  if (end > depthMax) return { emails: [], hasMore: false };
  const { provider } = caller;
  const { tag, to, from, since, before } = filter;
  const criteria: Criteria = {
    match: "ALL",
    provider,
    ...(tag !== null && { tag }),
    ...(to !== null && { sentTo: foldAddress(to) }),
    ...(from !== null && { sentFrom: foldAddress(from) }),
  };
  const found: Found[] = [];
  for (const server of await serversOf(context, caller)) {
    found.push(...(await search(context, server, { criteria, countMax: depthMax, since })));
  }
  const matching = found
    .filter(({ receivedAt }) => before === null || receivedAt < before)
    .toSorted((a, b) => b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1));
  const ids = matching.slice(end - filter.itemsPerPage, end).map(({ id }) => id);
  return { emails: await readEmails(context, caller, ids), hasMore: matching.length > end && end < depthMax };
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

interface Found {
  readonly id: MessageId;
  readonly receivedAt: number;
}

async function search(
  { store }: Context,
  server: ServerId,
  { criteria, countMax, since }: { criteria: Criteria; countMax: number; since: number | null },
): Promise<readonly Found[]> {
  const page = { page: 0, itemsPerPage: countMax, direction: "Received", afterSequence: null } as const;
  const receivedAfter = since === null ? null : since - 1;
  const { json } = await store.searchMessages(server, criteriaExpression(criteria), { ...page, receivedAfter });
  const summaries = summariesOf({ json });
  return summaries.map(({ id, received }) => ({ id, receivedAt: Date.parse(received) }));
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
