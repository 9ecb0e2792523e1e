import { arrange, type Arrangement } from "../../signatures/arrange.ts";
import { SegmentBuilder, type SignatureMaker } from "../../signatures/segment-builder.ts";
import { uuidArray } from "../connection/parameters.ts";
import type { Session } from "../connection/database.ts";
import { removeSegment, writePages, type SegmentScope } from "./segments.ts";

/** Message to be indexed. */
export interface IndexedMessage {
  readonly slot: string;
  readonly sequence: number;
  /** Bytes of its texts. */
  readonly size: number;
}

/** Segment that was built, not written yet. */
export interface BuiltSegment {
  readonly builder: SegmentBuilder;
  /** Slots of its messages, in the order in which they were added. */
  readonly slots: readonly Uint8Array[];
  /** Number of the given messages that it covers, including deleted ones. */
  readonly coveredCount: number;
}

/** Bytes of the texts of a message, in SQL. */
export const textBytes = "octet_length(subject) + octet_length(body) + octet_length(fields)";
/** Texts that one statement reads, and the longest ones that are read: longer ones are candidates for every term. */
const textBytesPerRead = 2 * 1024 * 1024;
const messageCountPerRead = 128;
const textBytesMax = 1024 * 1024;

/** Reads the texts of messages and builds a segment of as many as fit. */
export async function buildSegment(
  session: Session,
  scope: SegmentScope,
  of: {
    readonly messages: readonly IndexedMessage[];
    readonly messageCountMax: number;
    readonly maker: SignatureMaker;
  },
): Promise<BuiltSegment> {
  const builder = new SegmentBuilder(of.messageCountMax, of.maker);
  const slots: Uint8Array[] = [];
  let coveredCount = 0;
  const read = (start: number): Reading | undefined => {
    const some = takeSome(of.messages.slice(start, start + messageCountPerRead));
    return some.length === 0 ? undefined : { some, texts: readTexts(session, scope, some) };
  };
  for (let reading = read(0); reading !== undefined && !builder.isFull;) {
    const { some } = reading;
    const texts = await reading.texts;
    // The database reads the next texts while these are indexed.
    reading = read(coveredCount + some.length);
    for (const { slot } of some) {
      if (builder.isFull) break;
      coveredCount += 1;
      const text = texts.get(slot);
      if (text === undefined) continue;
      slots.push(bytesOfSlot(slot));
      const { subject, body, fields } = text;
      if (subject === null || body === null || fields === null) builder.addUnindexed();
      else builder.add({ subject: Buffer.from(subject), body: Buffer.from(body), fields: Buffer.from(fields) });
    }
    // When the segment is full, the transaction goes on with the next statement.
    if (builder.isFull) await reading?.texts;
  }
  return { builder, slots, coveredCount };
}

interface Texts {
  readonly slot: string;
  /** Null when the texts are too long. */
  readonly subject: string | null;
  readonly body: string | null;
  readonly fields: string | null;
}

interface Reading {
  readonly some: readonly IndexedMessage[];
  readonly texts: Promise<ReadonlyMap<string, Texts>>;
}

async function readTexts(
  session: Session,
  { server, epoch }: SegmentScope,
  messages: readonly IndexedMessage[],
): Promise<ReadonlyMap<string, Texts>> {
  const rows = await session.query<Texts>(
    `select slot, case when fits then subject end as subject, case when fits then body end as body,
       case when fits then fields end as fields
     from (select slot, subject, body, fields, ${textBytes} <= ${textBytesMax} as fits from message
       where server_id = $1 and epoch = $2 and slot = any($3::uuid[])) m`,
    [server, epoch, uuidArray(messages.map(({ slot }) => bytesOfSlot(slot)))],
  );
  return new Map(rows.map((row) => [row.slot, row]));
}

/** Writes a segment and its pages in place of others. */
export async function writeSegment(
  session: Session,
  scope: SegmentScope,
  { built, replaced }: { readonly built: BuiltSegment; readonly replaced: readonly number[] },
): Promise<void> {
  for (const number of replaced) await removeSegment(session, scope, number);
  const { slots, builder } = built;
  if (slots.length === 0) return;
  const { server, epoch } = scope;
  const [row] = await session.query<{ number: number }>(
    "select coalesce(max(number), 0) + 1 as number from text_segment where server_id = $1 and epoch = $2",
    [server, epoch],
  );
  const number = row?.number ?? 1;
  const arrangement = arrange(slots.map((id) => ({ id })));
  const isFull = builder.isFull;
  const pages = builder.finish(arrangement.ordinals);
  let groups = "";
  for (;;) {
    const step = pages.next();
    const batches = step.done === true ? [] : step.value;
    for (const batch of batches) groups += await writePages(session, { ...scope, number }, batch);
    if (step.done !== true) continue;
    await session.query(
      `insert into text_segment (server_id, epoch, number, size, is_full, received_first, received_last, sent_first,
         sent_last, groups, unindexed, slots)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        server,
        epoch,
        number,
        arrangement.size,
        isFull,
        ...boundsOf(arrangement),
        groups,
        JSON.stringify(step.value.unindexed),
        Buffer.from(arrangement.ids.buffer),
      ],
    );
    return;
  }
}

/** Returns the bytes of a slot. */
export function bytesOfSlot(slot: string): Uint8Array {
  return Buffer.from(slot.replaceAll("-", ""), "hex");
}

/** Returns the first messages within the bounds of a read, at least one. */
function takeSome(messages: readonly IndexedMessage[]): readonly IndexedMessage[] {
  let bytes = 0;
  const end = messages.findIndex(({ size }, at) => {
    bytes += Math.min(size, textBytesMax);
    return at > 0 && bytes > textBytesPerRead;
  });
  return end < 0 ? messages : messages.slice(0, end);
}

/** Returns the first and the last received slot, and those sent, in hexadecimal. */
function boundsOf({ received, sent }: Arrangement): readonly (string | null)[] {
  return [received?.first, received?.last, sent?.first, sent?.last].map(hexOf);
}

function hexOf(slot: Uint8Array | undefined): string | null {
  return slot === undefined ? null : Buffer.from(slot).toString("hex");
}
