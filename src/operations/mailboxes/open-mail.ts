import type { Store } from "../../store/store.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Limits } from "../../core/limits.ts";
import type { Direction } from "../../core/message.ts";
import { mainTurns } from "../../core/shared-turns.ts";
import type { Mailbox } from "../../mime/compose/address-field.ts";
import { composeMail } from "../../mime/compose/compose.ts";
import { headBytes } from "../../mime/structure/header-lines.ts";
import { readStructure } from "../../mime/structure/read-structure.ts";
import type { MessageStructure } from "../../mime/structure/structure.ts";
import type { IdentityPage, MessageIdentity } from "../../store/mark-store.ts";
import { inMemoryContent, type RawContent } from "../../store/raw-content.ts";
import type { WorkerCaller } from "../../workers/worker-rpc.ts";
import type { Context } from "../context.ts";
import { inspectStored } from "../services/inspection/inspect-stored.ts";
import { cheapLimits, isCheapToRead } from "../services/reading/reading-cost.ts";
import { decodeDetail } from "../services/reading/stored-detail.ts";

/** Number of messages that are measured at once. */
const measuredCountMax = 200;

/**
 * Opens a message as a mail: its raw bytes, or for an SMS a mail made of its text, always the same bytes. Undefined when the
 * message no longer exists.
 */
export async function openMail({ store }: Context, id: MessageId): Promise<RawContent | undefined> {
  await mainTurns.next();
  const raw = await store.openRaw(id);
  if (raw === undefined || raw.sizeBytes > 0) return raw;
  const sms = await smsAsMail(store, id);
  return sms === undefined ? undefined : inMemoryContent(sms);
}

/** Returns the sizes of mails in bytes, as {@link openMail} opens them, in the order of the ids; 0 for missing ones. */
export async function measureMails(
  { store }: Context,
  server: ServerId,
  ids: readonly MessageId[],
): Promise<readonly number[]> {
  const sizes: number[] = [];
  for (let from = 0; from < ids.length; from += measuredCountMax) {
    await mainTurns.next();
    const some = ids.slice(from, from + measuredCountMax);
    for (const [index, size] of (await store.measureRaw(server, some)).entries()) {
      const id = some[index];
      if (size === 0) await mainTurns.next();
      sizes.push(size > 0 || id === undefined ? size : ((await smsAsMail(store, id))?.length ?? 0));
    }
  }
  return sizes;
}

/** Returns an SMS as a mail; undefined when the message no longer exists. */
async function smsAsMail(store: Store, id: MessageId): Promise<Uint8Array | undefined> {
  const detail = await store.getDetail(id);
  if (detail === undefined) return undefined;
  const { from, to, subject, text } = decodeDetail(detail).message;
  const mailboxOf = ({ name, phone }: { readonly name: string; readonly phone: string | null }): Mailbox => ({
    name: name === "" ? (phone ?? "") : name,
    address: `${(phone ?? "").replaceAll(/[^0-9A-Za-z]/g, "") || "unknown"}@sms.invalid`,
  });
  const [sender = { name: "", phone: null }] = from;
  return await composeMail({
    messageId: `<${id}@sms.invalid>`,
    date: decodeMessageId(id).receivedAt,
    boundarySeed: id,
    from: mailboxOf(sender),
    to: to.map(mailboxOf),
    subject,
    text: text?.body ?? "",
    html: null,
    allows8bit: true,
  });
}

/** Bytes in which nearly every header section ends. */
const firstBytes = 16 * 1024;

/**
 * Returns the header section of a mail with the empty line that ends it, without reading the body of a large mail; at most
 * `headerBytesMax` bytes and some of the body when the section is larger or has no end. Undefined when the message no longer
 * exists.
 */
export async function readMailHead(context: Context, id: MessageId): Promise<Uint8Array | undefined> {
  const mail = await openMail(context, id);
  return mail === undefined ? undefined : await readHead(mail, context.limits);
}

async function readHead(mail: RawContent, limits: Limits): Promise<Uint8Array> {
  const first = await readBytes(mail, firstBytes);
  const count = headBytes(first, limits);
  if (count !== null) return first.subarray(0, count);
  if (first.length === mail.sizeBytes) return first;
  const all = await readBytes(mail, limits.headerBytesMax);
  return all.subarray(0, headBytes(all, limits) ?? all.length);
}

async function readBytes(mail: RawContent, countMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of mail.read({ first: 0, last: Math.min(countMax, mail.sizeBytes) - 1 })) chunks.push(chunk);
  return chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
}

/** Messages of a mailbox, and the number of the last change that they include. */
interface MailboxList {
  /** By sequence number, ascending: the order in which the messages were stored. */
  readonly mails: readonly MessageIdentity[];
  readonly cursor: number;
}

/**
 * Returns the messages in a server with this direction, without `hidden` ones: all, or the `countMax` that were stored last. Changes during the
 * call that are not included have numbers above the cursor.
 */
export async function listMailbox(
  { store }: Context,
  { server, direction }: { readonly server: ServerId; readonly direction: Direction },
  { countMax = Infinity, hidden }: { readonly countMax?: number; readonly hidden?: ReadonlySet<MessageId> } = {},
): Promise<MailboxList> {
  const mails: MessageIdentity[] = [];
  let cursor: number | null = null;
  for (let after: MessageId | null = null, isMore = true; isMore;) {
    const page: IdentityPage = await store.marks.listIdentities(server, direction, after);
    cursor ??= page.cursor;
    for (const identity of page.identities) if (hidden?.has(identity.id) !== true) mails.push(identity);
    after = page.identities.at(-1)?.id ?? null;
    isMore = page.hasMore;
  }
  const ordered = mails.toSorted((a, b) => a.sequence - b.sequence);
  return { mails: ordered.slice(Math.max(0, ordered.length - countMax)), cursor: cursor ?? 0 };
}

/** Reader of the part trees of mails. */
interface StructureReader {
  /**
   * Returns the part tree of a mail, with the mails in it; undefined when the message no longer exists. A large mail is read in
   * the process of the inspector, once while its structure is kept. Rejects as the inspector does.
   */
  read(id: MessageId, caller: WorkerCaller): Promise<MessageStructure | undefined>;
}

/** Structures of large mails that are kept; one of a mail with the most parts has about a megabyte. */
const keptCountMax = 16;

/** Creates a reader of part trees. It keeps the last structures of large mails, whose parts clients fetch one by one. */
export function createStructureReader(context: Context): StructureReader {
  const kept = new Map<MessageId, MessageStructure>();
  const keep = (id: MessageId, structure: MessageStructure): void => {
    kept.delete(id);
    kept.set(id, structure);
    const [oldest] = kept.keys();
    if (kept.size > keptCountMax && oldest !== undefined) kept.delete(oldest);
  };
  return {
    async read(id, caller) {
      const mail = await openMail(context, id);
      if (mail === undefined) {
        kept.delete(id);
        return undefined;
      }
      const small = mail.sizeBytes <= cheapLimits.mailBytesMax ? await readAll(mail) : null;
      if (small !== null && isCheapToRead(small)) return readStructure(small, context.limits);
      const inspection = { kind: "structure" } as const;
      const structure =
        kept.get(id) ?? (await inspectStored(context, { id, sizeBytes: mail.sizeBytes, inspection }, caller));
      keep(id, structure);
      return structure;
    },
  };
}

/** Reads a whole mail. */
export async function readAll(mail: RawContent): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(mail.read()));
}
