import { findSection } from "../../mime/structure/find-part.ts";
import { selectHeaderFields } from "../../mime/structure/header-lines.ts";
import type { Envelope, MessageStructure } from "../../mime/structure/structure.ts";
import type { MailContent } from "../../operations/mailboxes/mailboxes.ts";
import type { PartialRange, SectionItem } from "./fetch-items.ts";
import type { SelectedMailbox, SelectedMessage } from "./selected-mailbox.ts";
import type { ImapSession } from "./session.ts";

/** Bytes to send, of which the number is known before they are read. */
export interface OctetSource {
  readonly sizeBytes: number;
  read(): AsyncIterable<Uint8Array>;
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

  constructor(session: ImapSession, selected: SelectedMailbox, message: SelectedMessage) {
    this.#session = session;
    this.#selected = selected;
    this.#message = message;
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

  /** Opens a section; null when the mail has no such part. Throws {@link MessageGone}. */
  async open({ section, fields, partial }: SectionItem): Promise<OctetSource | null> {
    const content = await this.#open();
    if (section.part.length === 0 && fields !== null) {
      return slice(selectHeaderFields(await this.#readHead(), fields, this.#session.context.limits), partial);
    }
    const range =
      section.part.length === 0
        ? await this.#rangeOfMail(section.text, content.sizeBytes)
        : findSection(await this.structure(), section);
    if (range === undefined) return null;
    if (fields === null) return rangeOf(content, { offset: range.start, count: range.end - range.start }, partial);
    const header = await bytesOf(rangeOf(content, { offset: range.start, count: range.end - range.start }, null));
    return slice(selectHeaderFields(header, fields, this.#session.context.limits), partial);
  }

  async #rangeOfMail(text: SectionItem["section"]["text"], end: number): Promise<{ start: number; end: number }> {
    if (text === null) return { start: 0, end };
    const { length } = await this.#readHead();
    return text === "HEADER" ? { start: 0, end: length } : { start: length, end };
  }

  async #open(): Promise<MailContent> {
    this.#content ??= present(await this.#session.context.operations.open(this.#selected.access, this.#message.id));
    return this.#content;
  }

  async #readHead(): Promise<Uint8Array> {
    this.#head ??= present(await this.#session.context.operations.readHead(this.#selected.access, this.#message.id));
    return this.#head;
  }
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
    async *read() {
      await Promise.resolve();
      if (part.length > 0) yield part;
    },
  };
}

/** Returns a part of a range of a mail, which is read when it is sent. */
function rangeOf(content: MailContent, range: PartialRange, partial: PartialRange | null): OctetSource {
  const offset = Math.min(partial?.offset ?? 0, range.count);
  const count = Math.min(partial?.count ?? Infinity, range.count - offset);
  const first = range.offset + offset;
  return {
    sizeBytes: count,
    read: () =>
      count === 0 ? slice(new Uint8Array(0), null).read() : content.read({ first, last: first + count - 1 }),
  };
}

async function bytesOf(source: OctetSource): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
