import type { ByteHold } from "../../core/byte-budget.ts";
import { mainTurns } from "../../core/shared-turns.ts";
import { Problem } from "../../core/errors.ts";
import { selectHeaderFields, findPart, findSection } from "../../mime/structure/header-lines.ts";
import type { Envelope, MessageStructure } from "../../mime/structure/structure.ts";
import type { MailContent } from "../../operations/mailboxes/mailboxes.ts";
import type { BinaryItem, PartialRange, SectionItem } from "./fetch-items.ts";
import type { SelectedMailbox, SelectedMessage } from "./selected-mailbox.ts";
import type { ImapSession } from "./session.ts";

/** Size up to which a mail does not count against the memory of the listener; of larger ones a chunk does. */
const uncountedBytesMax: number = 64 * 1024;
const chunkBytesMax: number = 1024 * 1024;

/** Bytes to send, of which the number is known before they are read. */
export interface OctetSource {
  readonly sizeBytes: number;
  /** Whether the bytes contain a NUL, which only a literal8 may contain (RFC 9051 section 4.3.1). */
  readonly hasNul: boolean;
  read(): AsyncIterable<Uint8Array>;
}

type Unchecked = Omit<OctetSource, "hasNul">;

/** The transfer encoding of a part is not known, which is answered with NO [UNKNOWN-CTE]. */
export class UnknownEncoding extends Error {
  override readonly name = "UnknownEncoding";
}

/** A message was deleted while it was fetched. */
export class MessageGone extends Error {
  override readonly name = "MessageGone";
}

/** Reader of one mail for the items of one FETCH; reads and parses what they need, once. */
export class MailReader {
  readonly #session: ImapSession;
  readonly #selected: SelectedMailbox;
  readonly #message: SelectedMessage;
  #content: MailContent | undefined;
  #head: Uint8Array | undefined;
  #structure: MessageStructure | undefined;
  readonly #hold: ByteHold;

  constructor(session: ImapSession, selected: SelectedMailbox, message: SelectedMessage) {
    this.#session = session;
    this.#selected = selected;
    this.#message = message;
    this.#hold = session.context.budget.hold();
  }

  /** Returns the envelope. Throws {@link MessageGone}. */
  async envelope(): Promise<Envelope> {
    if (this.#structure !== undefined) return this.#structure.envelope;
    const head = await this.#readHead();
    const { operations } = this.#session.context;
    return present(await operations.readEnvelope(this.#selected.access, this.#message.id, head));
  }

  /** Returns the parts. Throws {@link MessageGone}. */
  async structure(): Promise<MessageStructure> {
    const { operations } = this.#session.context;
    this.#structure ??= present(await operations.readStructure(this.#selected.access, this.#message.id));
    return this.#structure;
  }

  /**
   * Opens a section or a decoded part; null when the mail has no such part. Throws {@link MessageGone},
   * {@link UnknownEncoding}, and `too_many_requests` while too much decoded content is in memory.
   */
  async open(item: SectionItem | BinaryItem): Promise<OctetSource | null> {
    return item.kind === "section" ? await this.#openSection(item) : await this.#decode(item);
  }

  async #openSection({ section, fields, partial }: SectionItem): Promise<OctetSource | null> {
    if (section.part.length === 0 && fields !== null) {
      return slice(selectHeaderFields(await this.#readHead(), fields, this.#session.context.limits), partial);
    }
    const content = await this.#open();
    const range =
      section.part.length === 0
        ? await this.#rangeOfMail(section.text, content.sizeBytes)
        : findSection(await this.structure(), section);
    if (range === undefined) return null;
    const whole = { offset: range.start, count: range.end - range.start };
    if (fields === null) return await withNul(rangeOf(content, whole, partial));
    const header = await bytesOf(rangeOf(content, whole, null));
    return slice(selectHeaderFields(header, fields, this.#session.context.limits), partial);
  }

  /** Returns the memory of decoded parts. */
  release(): void {
    this.#hold.release();
  }

  /** Decodes a part, which is in memory until {@link release}; the mail itself has no encoding. */
  async #decode({ part, partial }: BinaryItem): Promise<OctetSource | null> {
    const content = await this.#open();
    const found = part.length === 0 ? null : findPart(await this.structure(), part);
    if (found === undefined) return null;
    const { start, end } = found?.body ?? { start: 0, end: content.sizeBytes };
    const isWhole = found === null || found.children.length > 0 || found.message !== null;
    if (!this.#hold.take(2 * (end - start))) throw tooMuchContent();
    const body = await bytesOf(rangeOf(content, { offset: start, count: end - start }, null));
    const { operations } = this.#session.context;
    const bytes = await operations.decode(this.#selected.access, body, isWhole ? "7bit" : found.encoding);
    if (bytes === undefined) throw new UnknownEncoding();
    return slice(bytes, partial);
  }

  async #rangeOfMail(text: SectionItem["section"]["text"], end: number): Promise<{ start: number; end: number }> {
    if (text === null) return { start: 0, end };
    const { length } = await this.#readHead();
    return text === "HEADER" ? { start: 0, end: length } : { start: length, end };
  }

  /** Opens the mail, of which a chunk is in memory while the client reads. */
  async #open(): Promise<MailContent> {
    if (this.#content !== undefined) return this.#content;
    const content = present(await this.#session.context.operations.open(this.#selected.access, this.#message.id));
    const isLarge = content.sizeBytes > uncountedBytesMax;
    if (isLarge && !this.#hold.take(Math.min(content.sizeBytes, chunkBytesMax))) throw tooMuchContent();
    this.#content = content;
    return content;
  }

  async #readHead(): Promise<Uint8Array> {
    this.#head ??= present(await this.#session.context.operations.readHead(this.#selected.access, this.#message.id));
    return this.#head;
  }
}

function tooMuchContent(): Problem {
  return new Problem("too_many_requests", { text: "Too much content is in memory; retry later" });
}

function present<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new MessageGone();
  return thing;
}

/** Returns a part of bytes in memory. */
function slice(bytes: Uint8Array, partial: PartialRange | null): OctetSource {
  const { offset, count } = partial ?? { offset: 0, count: bytes.length };
  const part = bytes.subarray(offset, offset + count);
  return {
    sizeBytes: part.length,
    hasNul: part.includes(0),
    async *read() {
      await Promise.resolve();
      if (part.length > 0) yield part;
    },
  };
}

/** Returns a part of a range of a mail, which is read when it is sent. */
function rangeOf(content: MailContent, range: PartialRange, partial: PartialRange | null): Unchecked {
  const offset = Math.min(partial?.offset ?? 0, range.count);
  const count = Math.min(partial?.count ?? Infinity, range.count - offset);
  const first = range.offset + offset;
  return {
    sizeBytes: count,
    read: () =>
      count === 0 ? slice(new Uint8Array(0), null).read() : content.read({ first, last: first + count - 1 }),
  };
}

/** Looks for NUL in bytes that are announced before they are read: small ones are kept, large ones read twice. */
async function withNul(source: Unchecked): Promise<OctetSource> {
  if (source.sizeBytes <= uncountedBytesMax) return slice(await bytesOf(source), null);
  let hasNul = false;
  for await (const chunk of source.read()) {
    await mainTurns.next();
    hasNul = chunk.includes(0);
    if (hasNul) break;
  }
  return { ...source, hasNul };
}

async function bytesOf(source: Unchecked): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(source.read()));
}
