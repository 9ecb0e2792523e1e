/** Mailboxes of the contract of providers. */
import { Problem, notFound } from "../../core/errors.ts";
import { type MessageId, type ServerId, decodeMessageId, encodeMessageId, parseMessageId } from "../../core/ids.ts";
import { markedMessageCountMax } from "../../core/limits.ts";
import { noMarks } from "../../core/marks.ts";
import type { Direction, Message } from "../../core/message.ts";
import { type SearchExpression, and } from "../../core/search/search-expression.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import type {
  MailboxChange,
  MailboxChanges,
  MailboxFilter,
  MailboxMessage,
  MailboxOutline,
  MailboxPage,
  MailboxSection,
  PlacedEmail,
  ProviderMailbox,
} from "../../providers/mailbox.ts";
import { identityCountMax } from "../../store/mark-store.ts";
import { getCompatibility, getSpamAnalysis } from "../checks/analyses.ts";
import type { Context } from "../context.ts";
import { markMessages } from "../marks/marks.ts";
import { deleteMessage, deleteMessages } from "../messages/delete-messages.ts";
import { readHeads, readThread } from "../messages/read-conversation.ts";
import { storeMail } from "../sending/send-mail.ts";
import { getAttachment, getMessages, getRawMessage } from "../services/reading/get-message.ts";
import { countMessages, eachBatch } from "../services/search/find-messages.ts";
import { showMessage, summariesOf } from "../services/reading/stored-detail.ts";
import { openAttachmentId, openMessageId, orNotFound } from "../services/security/access.ts";
import { isOfProvider, mailboxChangesOf, noteRemoval } from "../services/reading/mailbox-changes.ts";
import { lastSequence } from "../messages/stream-changes.ts";
import { admitChange, openMailboxPlace } from "./mailbox-subscriptions.ts";
import type { ProviderCaller } from "./provider-session.ts";

/** Mailbox of a caller. */
interface OpenedMailbox {
  readonly context: Context;
  readonly caller: ProviderCaller;
  readonly server: ServerId;
}

/** Implements `openMailbox` of the contract of providers. */
export async function openProviderMailbox(
  context: Context,
  caller: ProviderCaller,
  user: string | null,
): Promise<ProviderMailbox> {
  const { server, address } = await openMailboxPlace(context, caller, user);
  const mailbox: OpenedMailbox = { context, caller, server };
  const { principal, faults } = caller;
  return {
    address,
    list: async (section) => listSection(mailbox, section),
    count: async (filter) => countAll(mailbox, filter),
    read: async (ids) => readMessages(mailbox, ids, getMessages),
    readHeads: async (ids) => readMessages(mailbox, ids, getHeads),
    outline: async (id) => orNotFound(await outlineMail(context, await openOwn(mailbox, id)), "Message"),
    thread: async (id) => ownIds(mailbox, await readThread(context, principal, await openOwn(mailbox, id))),
    get: async (id) => getOne(mailbox, id),
    getRaw: async (id) => getRawMessage(context, principal, await openOwn(mailbox, id)),
    checkSpam: async (id) => getSpamAnalysis(context, principal, await openOwn(mailbox, id)),
    checkHtml: async (id) => (await getCompatibility(context, principal, await openOwn(mailbox, id)))?.features ?? null,
    getAttachment: async (id) => {
      const message = await context.store.findMessageOfAttachment(openAttachmentId(principal, id));
      if (message === undefined) throw notFound("Attachment");
      await openOwn(mailbox, message);
      return (await getAttachment(context, principal, id)).bytes;
    },
    mark: async (ids, marks) => {
      await admitChange(caller);
      const own = await ownIds(mailbox, ids.slice(0, markedMessageCountMax));
      await markMessages(context, principal, { server, ids: own, change: marks });
    },
    listTags: async () => listTags(mailbox),
    remove: async (id) => {
      await admitChange(caller);
      const own = await openOwn(mailbox, id);
      if (!caller.isKnown) await noteRemoval(context, caller.provider, own);
      await deleteMessage(context, principal, own);
    },
    removeEach: async (ids) => {
      await admitChange(caller);
      await removeEach(mailbox, await ownIds(mailbox, ids));
    },
    place: async (email) => {
      await faults?.beforeChange();
      return place(mailbox, email);
    },
    changes: async (cursor, limit) => listChanges(mailbox, cursor, limit),
  };
}

/** Returns the condition with what the caller may read. */
function visible({ caller }: OpenedMailbox, expression: SearchExpression): SearchExpression {
  const { isKnown, provider } = caller;
  const own: readonly SearchExpression[] = isKnown ? [] : [{ kind: "key", role: "provider", key: provider }];
  return and({ kind: "type", type: "Email" }, ...own, expression);
}

const bothDirections: readonly Direction[] = ["Received", "Sent"];

/** Searches of a list, one for each direction. */
function searchesOf(
  mailbox: OpenedMailbox,
  { expression, direction, before }: MailboxFilter & Pick<MailboxSection, "before">,
) {
  const { caller, context } = mailbox;
  const bounds = { receivedAfter: null, afterSequence: null, caller: caller.principal.keyId, signal: context.gone };
  return (direction === null ? bothDirections : [direction]).map((own) => ({
    expression: visible(mailbox, expression),
    within: { ...bounds, direction: own, ...(before !== undefined && { before: idIn(own, before) }) },
  }));
}

/** Returns the id with the instant of another one in a direction. */
function idIn(direction: Direction, id: MessageId): MessageId {
  return encodeMessageId({ ...decodeMessageId(id), direction });
}

async function listSection(mailbox: OpenedMailbox, section: MailboxSection): Promise<MailboxPage> {
  const { skip = 0, top, first = "newest" } = section;
  const end = skip + top + 1;
  const { store } = mailbox.context;
  // Read before the ids, so that changes since then are reported again instead of being left out.
  const cursor = await lastSequence(mailbox.context, mailbox.server);
  const found: MessageId[] = [];
  for (const search of searchesOf(mailbox, section)) {
    let own: MessageId[] = [];
    const countMax = first === "newest" ? Math.min(end, identityCountMax) : identityCountMax;
    for await (const batch of eachBatch(store, mailbox.server, { ...search, countMax })) {
      own.push(...batch.map(({ id }) => id));
      if (first === "newest" && own.length >= end) break;
      if (first === "oldest") own = own.slice(-end);
    }
    found.push(...own);
  }
  const ordered = found.toSorted(first === "newest" ? (a, b) => compareAge(b, a) : compareAge);
  return { ids: ordered.slice(skip, skip + top), hasMore: ordered.length > skip + top, cursor };
}

/** Compares ids by instant, the oldest first: ids of one direction sort by time. */
function compareAge(one: MessageId, other: MessageId): number {
  const [a, b] = [idIn("Received", one), idIn("Received", other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

async function countAll(mailbox: OpenedMailbox, filter: MailboxFilter): Promise<number> {
  const counts = searchesOf(mailbox, filter).map(async (search) => {
    return countMessages(mailbox.context.store, mailbox.server, { ...search, countMax: countedMax });
  });
  return (await Promise.all(counts)).reduce((sum, { count }) => sum + count, 0);
}

/** Returns the tags of the mails that the caller may read. */
async function listTags(mailbox: OpenedMailbox): Promise<readonly string[]> {
  const { context, server, caller } = mailbox;
  const tags = (await context.store.marks.listTags(server)).map(({ tag }) => tag);
  if (caller.isKnown) return tags;
  const own: string[] = [];
  for (const tag of tags) {
    const expression: SearchExpression = { kind: "tag", tag: foldPart(tag) };
    if ((await listSection(mailbox, { expression, direction: null, top: 1 })).ids.length > 0) own.push(tag);
  }
  return own;
}

/** More messages than a server has. */
const countedMax = 2 ** 31 - 1;

/** Yields messages without bodies, as {@link getMessages} yields whole ones. */
async function* getHeads(...given: Parameters<typeof getMessages>): ReturnType<typeof getMessages> {
  for await (const { detail } of readHeads(...given)) yield showMessage(detail, noBodies, "");
}

const noBody = { links: [], codes: [], body: null };
const noBodies = { html: { ...noBody, images: [] }, text: noBody };

async function readMessages(
  mailbox: OpenedMailbox,
  ids: readonly MessageId[],
  open: typeof getMessages,
): Promise<readonly MailboxMessage[]> {
  const { context, caller, server } = mailbox;
  const own = ids.filter((id) => decodeMessageId(id).server === server);
  const sizes = new Map((await context.store.measureRaw(server, own)).map((bytes, at) => [own[at], bytes]));
  const marked = new Map((await context.store.marks.readMarks(server, own)).map(({ id, marks }) => [id, marks]));
  const found: MailboxMessage[] = [];
  let length = 0;
  for await (const message of open(context, caller.principal, own)) {
    if (!isReadable(caller, message)) continue;
    const { id, html, text } = message;
    length += (html.body?.length ?? 0) + (text.body?.length ?? 0);
    const isShown = length <= context.limits.fullPageBytesMax;
    const bodies = isShown ? null : { html: { ...html, body: null }, text: { ...text, body: null } };
    const { direction } = decodeMessageId(id);
    const marks = marked.get(id) ?? noMarks;
    found.push({ id, direction, message: { ...message, ...bodies }, marks, sizeBytes: sizes.get(id) ?? 0 });
  }
  return found;
}

/** Returns whether a message is a mail that the caller may read. */
function isReadable({ isKnown, provider: name }: ProviderCaller, { type, provider }: Message): boolean {
  return type === "Email" && (isKnown || provider?.name === name);
}

async function getOne(mailbox: OpenedMailbox, idText: string): Promise<MailboxMessage> {
  const [found] = await readMessages(mailbox, [openMessageId(mailbox.caller.principal, idText)], getMessages);
  if (found === undefined) throw notFound("Message");
  return found;
}

/** Returns the id of a mail that the caller may read; rejects with `not_found`. */
async function openOwn(mailbox: OpenedMailbox, idText: string): Promise<MessageId> {
  const { context, caller, server } = mailbox;
  const id = openMessageId(caller.principal, idText);
  if (decodeMessageId(id).server !== server) throw notFound("Message");
  if (caller.isKnown) return id;
  for await (const message of getMessages(context, caller.principal, [id])) if (isReadable(caller, message)) return id;
  throw notFound("Message");
}

async function ownIds(mailbox: OpenedMailbox, ids: readonly string[]): Promise<readonly MessageId[]> {
  const own: MessageId[] = [];
  for (const text of ids) {
    const id = parseMessageId(text);
    const isOwn = id !== undefined && (await openOwn(mailbox, id).then(() => true, unlessMissing));
    if (isOwn) own.push(id);
  }
  return own;
}

async function removeEach({ context, caller, server }: OpenedMailbox, ids: readonly MessageId[]): Promise<void> {
  if (!caller.isKnown) for (const id of ids) await noteRemoval(context, caller.provider, id);
  const signal = context.gone ?? context.closing;
  const { failed } = await deleteMessages(context, caller.principal, { server, ids, signal });
  if (failed.length > 0) throw new Problem("unavailable");
}

function unlessMissing(error: unknown): false {
  if (error instanceof Problem && error.code === "not_found") return false;
  throw error;
}

async function place(
  { context, caller, server }: OpenedMailbox,
  { raw, direction, marks, providerIdOf }: PlacedEmail,
): Promise<MessageId> {
  const { provider: name, transcript } = caller;
  const facts = { tags: [], metadata: {}, template: null, scheduledAt: null };
  const { id } = await storeMail(context, {
    server,
    raw,
    direction,
    marks,
    ticket: null,
    transcript: transcript?.encode({ count: 1, isOwn: true, hits: [] }),
    originOf: (own) => ({ name, id: providerIdOf(own), ...facts }),
  });
  return id;
}

async function listChanges(
  { context, server, caller: { isKnown, provider } }: OpenedMailbox,
  cursor: number,
  limit: number,
): Promise<MailboxChanges | undefined> {
  const listed = await context.store.listChanges(server, cursor, limit + 1);
  if (listed?.some(({ kind }) => kind === "emptied") !== false) return undefined;
  const page = listed.slice(0, limit);
  const changes: MailboxChange[] = [];
  for (const change of page) {
    const own = await mailboxChangesOf(context, server, change);
    for (const one of own) if (isKnown || (await isOfProvider(context, one, provider))) changes.push(one);
  }
  return { changes, cursor: page.at(-1)?.sequence ?? cursor, hasMore: listed.length > limit };
}

/** Returns the outline of a mail; undefined when it does not exist. */
async function outlineMail({ store }: Pick<Context, "store">, id: MessageId): Promise<MailboxOutline | undefined> {
  const { server, direction } = decodeMessageId(id);
  const page = { page: 0, itemsPerPage: 1, receivedAfter: null, afterSequence: null, direction, before: after(id) };
  const [summary] = summariesOf(await store.listMessages(server, page));
  if (summary?.id !== id) return undefined;
  const [marked] = await store.marks.readMarks(server, [id]);
  const { identities } = await store.findMessages(server, { kind: "always" }, page);
  return { excerpt: summary.summary, sequence: marked?.sequence ?? identities[0]?.sequence ?? 0 };
}

/** Returns the next id of the direction, which no message needs to have. */
function after(id: MessageId): MessageId {
  const { random, ...parts } = decodeMessageId(id);
  const isLast = random === 0xffffffff;
  return encodeMessageId(
    isLast ? { ...parts, receivedAt: parts.receivedAt + 1, random: 0 } : { ...parts, random: random + 1 },
  );
}
