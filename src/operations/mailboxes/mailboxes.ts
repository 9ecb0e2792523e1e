/** Operations of clients that read and change mailboxes by IMAP. */
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { markedMessageCountMax } from "../../core/limits.ts";
import { type MarkChange, type Marks, noMarks } from "../../core/marks.ts";
import type { Direction } from "../../core/message.ts";
import type { ReaderDeletion } from "../../core/server.ts";
import { readEnvelope } from "../../mime/structure/read-structure.ts";
import type { TransferEncoding } from "../../mime/part.ts";
import type { Envelope, MessageStructure } from "../../mime/structure/structure.ts";
import type { MarkedMessage, MarkOutcome } from "../../store/mark-store.ts";
import type { RawContent } from "../../store/raw-content.ts";
import type { Context } from "../context.ts";
import { isCheapToRead } from "../services/reading/reading-cost.ts";
import { storeMail } from "../sending/send-mail.ts";
import { accessMailbox, isStillOpen, type MailboxAccess, type MailboxCredentials } from "./access-mailbox.ts";
import { deleteMails, deletionOf, discardMail } from "./delete-mails.ts";
import { MailboxIndexes, type OpenMailbox, hiddenPages, MailboxView, readerOf } from "./open-mailbox.ts";
import { createStructureReader, measureMails, openMail, readAll, readMailHead } from "./open-mail.ts";
import { type MailboxQuery, type MailFacts, readMailFacts } from "./search/mailbox-query.ts";
import { createMailboxSearch, type SearchedMessages } from "./search/search-mailbox.ts";

/** Marks of a message, and the number of their last change. */
export type MailMarks = MarkedMessage;

/** Mailbox that a session has opened, and what its reader sees of it. */
export interface ReaderMailbox extends OpenMailbox {
  readonly view: MailboxView;
}

/** Content of a mail, read in chunks. */
export type MailContent = Pick<RawContent, "sizeBytes" | "read">;

/** Counts of a mailbox. */
export interface MailboxStatus {
  readonly messageCount: number;
  readonly unseenCount: number;
  /** Messages that no session of this process has been notified of; 0 while the mailbox is not in memory. */
  readonly recentCount: number;
  readonly uidNext: number;
  readonly uidValidity: number;
  /** Number of the last change of the server. */
  readonly cursor: number;
}

/** Mail that a client stores. */
export interface AppendedMail {
  readonly direction: Direction;
  readonly raw: Uint8Array;
  readonly marks: Marks;
}

/** Search of a client. */
export interface MailboxSearchRequest {
  readonly query: MailboxQuery;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** Operations on the mailboxes of servers; all reject with the problems of the store. */
export interface Mailboxes {
  /** Returns the server of credentials; undefined for wrong ones. Rejects with `too_many_requests` after too many. */
  access(credentials: MailboxCredentials): Promise<MailboxAccess | undefined>;
  /** Returns whether the credentials are still valid. */
  isOpen(access: MailboxAccess): Promise<boolean>;
  /** Opens a mailbox as it is now. */
  openMailbox(access: MailboxAccess, direction: Direction): Promise<ReaderMailbox>;
  /** Returns the counts of what the reader sees of a mailbox. Rejects with `not_found` when the server was deleted. */
  status(access: MailboxAccess, direction: Direction): Promise<MailboxStatus>;
  /** Returns the tags of the messages of both mailboxes, at most `serverTagCountMax`. */
  listTags(access: MailboxAccess): Promise<readonly string[]>;
  /** Returns the marks of the given messages, without messages that never had any. */
  readMarks(access: MailboxAccess, ids: readonly MessageId[]): Promise<readonly MailMarks[]>;
  /** Returns the messages of both mailboxes whose marks changed after `sequence`, by their last change. */
  listMarks(access: MailboxAccess, sequence: number, limit: number): Promise<readonly MailMarks[]>;
  /** Changes the marks of at most `markedMessageCountMax` messages. Rejects with `forbidden` for a key that may only read. */
  changeMarks(access: MailboxAccess, ids: readonly MessageId[], change: MarkChange): Promise<MarkOutcome>;
  /** Returns the sizes of mails in bytes; 0 for those that no longer exist. */
  measure(access: MailboxAccess, ids: readonly MessageId[]): Promise<readonly number[]>;
  /** Opens a mail; undefined when it no longer exists. */
  open(access: MailboxAccess, id: MessageId): Promise<MailContent | undefined>;
  /** Returns the header section of a mail as `readMailHead` does; undefined when it no longer exists. */
  readHead(access: MailboxAccess, id: MessageId): Promise<Uint8Array | undefined>;
  /** Returns the header fields and the size of a mail; undefined when it no longer exists. */
  readFacts(access: MailboxAccess, id: MessageId): Promise<MailFacts | undefined>;
  /** Returns the ENVELOPE of a mail from its header section. Rejects as the inspector does. */
  readEnvelope(access: MailboxAccess, id: MessageId, head: Uint8Array): Promise<Envelope | undefined>;
  /** Returns the parts of a mail; undefined when it no longer exists. Rejects as the inspector does. */
  readStructure(access: MailboxAccess, id: MessageId): Promise<MessageStructure | undefined>;
  /**
   * Returns the content of a part without its transfer encoding; undefined for an encoding that is not known. A large part is
   * decoded in a worker process. Rejects as the body analyser does.
   */
  decode(access: MailboxAccess, body: Uint8Array, encoding: string): Promise<Uint8Array | undefined>;
  /** Searches in a mailbox as `MailboxSearch` does. */
  search(
    access: MailboxAccess,
    messages: Omit<SearchedMessages, "server">,
    request: MailboxSearchRequest,
  ): Promise<readonly number[]>;
  /** Stores a mail; returns its UID. Rejects as `storeMail` does, and with `forbidden` for a key that may only read. */
  append(access: MailboxAccess, mail: AppendedMail): Promise<number>;
  /**
   * Stores a copy of a message, which is in memory meanwhile; returns its UID, undefined when the message no longer exists. Rejects as
   * `append` does.
   */
  copy(access: MailboxAccess, id: MessageId, direction: Direction): Promise<number | undefined>;
  /** Returns the effect of a deletion now. */
  deletion(access: MailboxAccess): Promise<ReaderDeletion>;
  /** Deletes or hides messages as `deleteMails` does. */
  remove(access: MailboxAccess, ids: AsyncIterable<MessageId>): Promise<void>;
  /** Deletes a copy that the client has just stored; resolves also when it no longer exists. */
  discard(access: MailboxAccess, id: MessageId): Promise<void>;
}

/** Encodings by the names of Content-Transfer-Encoding. */
const transferEncodings: ReadonlyMap<string, TransferEncoding> = new Map<string, TransferEncoding>([
  ["7bit", "identity"],
  ["8bit", "identity"],
  ["binary", "identity"],
  ["base64", "base64"],
  ["quoted-printable", "quoted-printable"],
]);

/** Creates the operations. */
export function createMailboxes(context: Context): Mailboxes {
  const { store, events } = context;
  const indexes = new MailboxIndexes(context);
  const structures = createStructureReader(context);
  const search = createMailboxSearch(context);
  return {
    access: async (credentials) => accessMailbox(context, credentials),
    isOpen: async (access) => isStillOpen(context, access),
    openMailbox: async (access, direction) => openMailbox(context, indexes, { access, direction }),
    status: async (access, direction) => readStatus(context, indexes, { access, direction }),
    listTags: async ({ server }) => (await store.marks.listTags(server)).map(({ tag }) => tag),
    readMarks: async ({ server }, ids) => store.marks.readMarks(server, ids),
    listMarks: async ({ server }, sequence, limit) => store.marks.listMarks(server, sequence, limit),
    changeMarks: async ({ server, mayWrite }, ids, change) => {
      if (!mayWrite) throw new Problem("forbidden");
      const result = await store.marks.changeMarks(server, ids.slice(0, markedMessageCountMax), change);
      const { sequence, changed } = result;
      const id = changed.length === 1 ? (changed[0] ?? null) : null;
      if (sequence !== undefined) events.publish({ server, change: { sequence, kind: "marked", id }, message: null });
      return result;
    },
    measure: async ({ server }, ids) => measureMails(context, server, ids),
    open: async ({ server }, id) => {
      if (decodeMessageId(id).server !== server) throw new Error("a message of another server was requested");
      return await openMail(context, id);
    },
    readHead: async (_, id) => readMailHead(context, id),
    readFacts: async (_, id) => readMailFacts(context, id),
    readEnvelope: async ({ principal: { keyId: key } }, id, head) =>
      isCheapToRead(head) ? readEnvelope(head, context.limits) : (await structures.read(id, { key }))?.envelope,
    readStructure: async ({ principal: { keyId: key } }, id) => structures.read(id, { key }),
    decode: async ({ principal: { keyId: key } }, raw, encoding) => {
      const transferEncoding = transferEncodings.get(encoding);
      if (transferEncoding === undefined) return undefined;
      return await context.bodies.decode(
        { raw, part: { transferEncoding, bodyStart: 0, bodyEnd: raw.length } },
        { key },
      );
    },
    search: async ({ server, principal: { keyId: key } }, messages, { query, signal }) =>
      search.search({ ...messages, server }, query, { key, signal }),
    append: async (access, mail) => append(context, access, mail),
    copy: async (access, id, direction) => copy(context, access, { id, direction }),
    deletion: async (access) => deletionOf(context, access),
    remove: async (access, ids) => deleteMails(context, access, { protocol: "IMAP", ids }),
    discard: async (access, id) => {
      await discardMail(context, access, id);
    },
  };
}

interface ReaderPlace {
  readonly access: MailboxAccess;
  readonly direction: Direction;
}

async function openMailbox(
  context: Context,
  indexes: MailboxIndexes,
  { access, direction }: ReaderPlace,
): Promise<ReaderMailbox> {
  const opened = await indexes.open({ server: access.server, direction });
  try {
    const view = new MailboxView(opened.index, readerOf(access));
    for await (const page of hiddenPages(context, access)) view.hide(page);
    return { ...opened, view };
  } catch (error) {
    opened.release();
    throw error;
  }
}

async function readStatus(
  context: Context,
  indexes: MailboxIndexes,
  { access, direction }: ReaderPlace,
): Promise<MailboxStatus> {
  const { store } = context;
  const { server } = access;
  const hidden = { count: 0, unseenCount: 0 };
  for await (const page of hiddenPages(context, access)) {
    for (const { id, marks } of page) {
      if (decodeMessageId(id).direction !== direction) continue;
      hidden.count += 1;
      if (!marks.flags.includes("seen")) hidden.unseenCount += 1;
    }
  }
  const page = { page: 0, itemsPerPage: 1, receivedAfter: null, direction, afterSequence: null } as const;
  const { total, cursor } = await store.listMessages(server, page);
  const found = await store.getServer(server);
  if (found === undefined) throw new Problem("not_found");
  // Messages may be deleted or marked between the calls.
  const unseenCount = Math.max(0, (await store.marks.countUnseen(server, direction)) - hidden.unseenCount);
  const recentCount = indexes.recentCount({ server, direction });
  const counts = { unseenCount, uidValidity: found.uidValidity };
  if (total !== null && hidden.count === 0)
    return { ...counts, messageCount: total, recentCount, uidNext: cursor + 1, cursor };
  const { index, view, release } = await openMailbox(context, indexes, { access, direction });
  release();
  return {
    ...counts,
    messageCount: view.uids.length,
    recentCount: Math.min(recentCount, view.recentCount),
    uidNext: index.uidNext,
    cursor: index.cursor,
  };
}

async function append(context: Context, access: MailboxAccess, mail: AppendedMail): Promise<number> {
  if (!access.mayWrite) throw new Problem("forbidden");
  const { sequence } = await storeMail(context, { server: access.server, ticket: null, ...mail });
  return sequence;
}

async function copy(
  context: Context,
  access: MailboxAccess,
  { id, direction }: { readonly id: MessageId; readonly direction: Direction },
): Promise<number | undefined> {
  if (!access.mayWrite) throw new Problem("forbidden");
  const content = await openMail(context, id);
  if (content === undefined) return undefined;
  const [marked] = await context.store.marks.readMarks(access.server, [id]);
  const marks = marked?.marks ?? noMarks;
  return await append(context, access, { direction, raw: await readAll(content), marks });
}
