/** FETCH and UID FETCH (RFC 9051 section 6.4.5). */
import { mainTurns } from "../../core/shared-turns.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { noMarks } from "../../core/marks.ts";
import type { MailMarks } from "../../operations/mailboxes/mailboxes.ts";
import { ok, type RunCommand, readSet } from "./command.ts";
import { type BinaryItem, type FetchItem, readFetchItems, type SectionItem } from "./fetch-items.ts";
import { MailReader, MessageGone, type OctetSource } from "./mail-reader.ts";
import { readModifier } from "./flags.ts";
import type { SelectedMailbox, SelectedMessage } from "./selected-mailbox.ts";
import type { ImapSession, SelectedSession } from "./session.ts";
import { ImapSyntaxError } from "./tokenise.ts";
import { writeBodyStructure, writeEnvelope } from "./write-body-structure.ts";

/** Messages whose flags and sizes are read at once. */
const batchCountMax = 200;
/** Characters of responses that are written at once. */
const flushLength: number = 32 * 1024;

/** FETCH, by numbers or by UIDs. */
export const fetch: RunCommand<SelectedSession> = async (session, tokens, { isUid }) => {
  const { selected } = session;
  const set = readSet(tokens[0]);
  const since = readModifier(tokens[2], "CHANGEDSINCE");
  const items = complete(readFetchItems(tokens[1]), { isUid, hasModSeq: since !== null });
  if (items.some(({ kind }) => kind === "modseq")) session.reportsModSeq = true;
  if (tokens.length > 3) throw new ImapSyntaxError("FETCH has too many arguments");
  const uids = selected.find(set, isUid);
  const fetching = new Fetch(session, selected, { items, since });
  for (let at = 0; at < uids.length && !session.connection.isClosed; at += batchCountMax) {
    await fetching.send(selected.messagesOf(uids.slice(at, at + batchCountMax)));
  }
  await fetching.flush();
  return ok(`${fetching.goneCount === 0 ? "" : "[EXPUNGEISSUED] "}FETCH completed`);
};

/** Adds the items that a UID FETCH and the modifier CHANGEDSINCE imply. */
function complete(
  items: readonly FetchItem[],
  { isUid, hasModSeq }: { readonly isUid: boolean; readonly hasModSeq: boolean },
): readonly FetchItem[] {
  const lacks = (kind: FetchItem["kind"]): boolean => !items.some((item) => item.kind === kind);
  return [
    ...(isUid && lacks("uid") ? [{ kind: "uid" as const }] : []),
    ...items,
    ...(hasModSeq && lacks("modseq") ? [{ kind: "modseq" as const }] : []),
  ];
}

/** Facts of the messages of a batch. */
interface BatchFacts {
  readonly marks: ReadonlyMap<MessageId, MailMarks>;
  readonly sizes: ReadonlyMap<MessageId, number>;
  /** Messages that have been given the flag `\Seen` by this command. */
  readonly seen: ReadonlySet<MessageId>;
}

/** Item of a response, as text or as bytes that are read when they are sent. */
type FetchedValue = string | { readonly item: SectionItem | BinaryItem; readonly source: OctetSource | null };

class Fetch {
  /** Messages that were deleted meanwhile. */
  goneCount = 0;
  readonly #session: ImapSession;
  readonly #selected: SelectedMailbox;
  readonly #items: readonly FetchItem[];
  /** Messages that have not changed after this mod-sequence are left out; null: none. */
  readonly #since: number | null;
  readonly #kinds: ReadonlySet<string>;
  readonly #setsSeen: boolean;
  #held = "";

  constructor(
    session: ImapSession,
    selected: SelectedMailbox,
    { items, since }: { readonly items: readonly FetchItem[]; readonly since: number | null },
  ) {
    this.#session = session;
    this.#selected = selected;
    this.#items = items;
    this.#since = since;
    this.#kinds = new Set(items.map(({ kind }) => kind));
    this.#setsSeen = !selected.isReadOnly && items.some((item) => "setsSeen" in item && item.setsSeen);
  }

  /** Sends the responses of a batch. */
  async send(all: readonly SelectedMessage[]): Promise<void> {
    const messages = this.#since === null ? all : await this.#changed(all, this.#since);
    const facts = await this.#read(messages.map(({ id }) => id));
    for (const message of messages) {
      await mainTurns.next();
      if (this.#session.connection.isClosed) return;
      const reader = new MailReader(this.#session, this.#selected, message);
      await this.#sendOne(message, facts, reader);
    }
  }

  /** Writes what is held back to leave in larger packets. */
  async flush(): Promise<void> {
    const text = this.#held;
    this.#held = "";
    await this.#session.send(text);
  }

  async #changed(messages: readonly SelectedMessage[], since: number): Promise<readonly SelectedMessage[]> {
    const ids = messages.map(({ id }) => id);
    const marked = await this.#session.context.operations.readMarks(this.#selected.access, ids);
    const changed = new Set(marked.filter(({ sequence }) => sequence > since).map(({ id }) => id));
    return messages.filter(({ uid, id }) => uid > since || changed.has(id));
  }

  async #read(ids: readonly MessageId[]): Promise<BatchFacts> {
    const { operations } = this.#session.context;
    const { access } = this.#selected;
    if (ids.length === 0) return { marks: new Map(), sizes: new Map(), seen: new Set() };
    const seen = new Set<MessageId>();
    if (this.#setsSeen) {
      const { sequence, changed } = await operations.changeMarks(access, ids, { addFlags: ["seen"] });
      this.#selected.noteOwnChange(sequence);
      for (const id of changed) seen.add(id);
    }
    const needsMarks = this.#kinds.has("flags") || this.#kinds.has("modseq") || seen.size > 0;
    const marked = needsMarks ? await operations.readMarks(access, ids) : [];
    const sizes = this.#kinds.has("size") ? await operations.measure(access, ids) : [];
    return {
      marks: new Map(marked.map((one) => [one.id, one])),
      sizes: new Map(sizes.flatMap((size, at) => (ids[at] === undefined ? [] : [[ids[at], size] as const]))),
      seen,
    };
  }

  async #sendOne(message: SelectedMessage, facts: BatchFacts, reader: MailReader): Promise<void> {
    try {
      // Everything that can fail is read before the response begins, except the bytes of sections.
      const values = await this.#valuesOf(message, facts, reader);
      await this.#hold(`* ${message.number} FETCH (`);
      for (const [at, value] of values.entries()) {
        if (at > 0) await this.#hold(" ");
        if (typeof value === "string") await this.#hold(value);
        else await this.#sendSection(value.item, value.source);
      }
      await this.#hold(")\r\n");
    } catch (error) {
      if (!(error instanceof MessageGone)) throw error;
      this.goneCount += 1;
    } finally {
      reader.release();
    }
  }

  async #valuesOf(message: SelectedMessage, facts: BatchFacts, reader: MailReader): Promise<readonly FetchedValue[]> {
    const values: FetchedValue[] = [];
    for (const item of this.#items) {
      const isOpened = item.kind === "section" || item.kind === "binary";
      values.push(
        isOpened ? { item, source: await reader.open(item) } : await this.#valueOf(item, { message, facts, reader }),
      );
    }
    if (!facts.seen.has(message.id)) return values;
    if (!this.#kinds.has("flags")) values.push(this.#flagsOf(facts, message));
    if (this.#session.reportsModSeq && !this.#kinds.has("modseq")) values.push(modSeqOf(facts, message));
    return values;
  }

  async #valueOf(
    item: Exclude<FetchItem, SectionItem>,
    { message, facts, reader }: { message: SelectedMessage; facts: BatchFacts; reader: MailReader },
  ): Promise<string> {
    const { kind } = item;
    if (kind === "binarysize") return `${item.label} ${(await reader.open(item))?.sizeBytes ?? 0}`;
    if (kind === "uid") return `UID ${message.uid}`;
    if (kind === "flags") return this.#flagsOf(facts, message);
    if (kind === "modseq") return modSeqOf(facts, message);
    if (kind === "internaldate") return `INTERNALDATE "${internalDate(decodeMessageId(message.id).receivedAt)}"`;
    if (kind === "size") return `RFC822.SIZE ${sizeOf(facts, message)}`;
    if (kind === "envelope") return `ENVELOPE ${writeEnvelope(await reader.envelope())}`;
    const form = { describesGlobal: this.#session.isRev2, isExtended: kind === "bodystructure" };
    return `${kind.toUpperCase()} ${writeBodyStructure(await reader.structure(), form)}`;
  }

  async #sendSection({ label, partial }: SectionItem | BinaryItem, source: OctetSource | null): Promise<void> {
    const name = `${label}${partial === null ? "" : `<${partial.offset}>`}`;
    if (source === null) {
      await this.#hold(`${name} NIL`);
      return;
    }
    await this.#hold(`${name} ${source.hasNul ? "~" : ""}{${source.sizeBytes}}\r\n`);
    await this.flush();
    const { connection } = this.#session;
    let left = source.sizeBytes;
    try {
      for await (const chunk of source.read()) {
        left -= chunk.length;
        await connection.write(chunk);
        if (connection.isClosed) return;
      }
    } catch (error) {
      this.#session.context.log.debug({ err: error }, "A mail could not be read to its end");
    }
    // Only the end of the connection tells the client that an announced literal is incomplete.
    if (left !== 0) connection.destroy();
  }

  #flagsOf({ marks }: BatchFacts, { id, uid }: SelectedMessage): string {
    return `FLAGS ${this.#selected.flagsOf(uid, marks.get(id)?.marks ?? noMarks)}`;
  }

  async #hold(text: string): Promise<void> {
    this.#held += text;
    if (this.#held.length >= flushLength) await this.flush();
  }
}

function modSeqOf({ marks }: BatchFacts, { id, uid }: SelectedMessage): string {
  return `MODSEQ (${Math.max(uid, marks.get(id)?.sequence ?? 0)})`;
}

/** Returns the size of a mail, which has at least one byte. Throws {@link MessageGone}. */
function sizeOf({ sizes }: BatchFacts, { id }: SelectedMessage): number {
  const size = sizes.get(id) ?? 0;
  if (size === 0) throw new MessageGone();
  return size;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Returns an instant in milliseconds since the Unix epoch as INTERNALDATE, in UTC and without quotes. */
function internalDate(at: number): string {
  const date = new Date(at);
  const day = `${date.getUTCDate()}`.padStart(2, " ");
  const time = date.toISOString().slice(11, 19);
  return `${day}-${months[date.getUTCMonth()] ?? ""}-${date.getUTCFullYear()} ${time} +0000`;
}
