import type { MessageId } from "../../../core/ids.ts";
import { uuidArray } from "../connection/arrays.ts";
import type { Session } from "../connection/database.ts";
import { bytesOf } from "../messages/id-slots.ts";
import { readSlots, slotBytes, type SegmentScope } from "./segments.ts";
import { textBytes, type IndexedMessage } from "./segment-writes.ts";
import type { TextIndexSettings } from "./text-index-settings.ts";

/** Slot before that of any message. */
export const noSlot = "00000000-0000-0000-0000-000000000000";
const lastSlot = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Server to be indexed. */
export interface ServerState extends SegmentScope {
  readonly sequence: number;
  readonly messageCount: number;
}

/** Row of `text_progress`. */
export interface Progress {
  readonly epoch: number;
  readonly upTo: number;
  readonly walkTo: number | null;
  readonly walkSlot: string;
  readonly walkCount: number;
}

/** Messages to be indexed by one step. */
export interface Batch {
  readonly messages: readonly IndexedMessage[];
  /** Segments that contain them already. */
  readonly replaced: readonly number[];
  /** Returns the progress when the first `count` of the messages are in the new segment. */
  readonly after: (count: number) => Progress;
}

interface SmallSegment {
  readonly number: number;
  readonly size: number;
}

/** Messages of one server that a step may index. */
interface Choosing {
  readonly state: ServerState;
  readonly progress: Progress;
  readonly messageCountMax: number;
}

/**
 * Returns the next messages to index: new ones come before merges where there are enough for a whole segment. Undefined when
 * there is nothing to do.
 */
export async function nextBatch(
  session: Session,
  { state, progress }: Pick<Choosing, "state" | "progress">,
  { segmentMessageCountMax: messageCountMax, newMessageCountMin }: TextIndexSettings,
): Promise<Batch | undefined> {
  if (progress.walkTo !== null) return await walk(session, { state, progress, messageCountMax });
  const newCount = state.sequence - progress.upTo;
  const small = newCount >= messageCountMax ? [] : await chooseSmall(session, state, messageCountMax);
  if (small.length > 0) return await rebuild(session, { state, progress, replaced: small });
  return newCount >= newMessageCountMin ? await follow(session, { state, progress, messageCountMax }) : undefined;
}

/** Returns the next messages by slot that are not in a segment. */
async function walk(session: Session, { state, progress, messageCountMax }: Choosing): Promise<Batch> {
  const messages = await session.query<IndexedMessage>(
    `select slot, sequence, ${textBytes} as size from message
     where server_id = $1 and (epoch, slot) > ($2, $3) and (epoch, slot) <= ($2, $4) and sequence > $5 and sequence <= $6
     order by epoch, slot limit $7`,
    [state.server, state.epoch, progress.walkSlot, lastSlot, progress.upTo, progress.walkTo, messageCountMax],
  );
  const isEnd = messages.length < messageCountMax;
  const after = (count: number): Progress => {
    if (isEnd && count === messages.length) {
      return { ...progress, upTo: progress.walkTo ?? progress.upTo, walkTo: null, walkSlot: noSlot, walkCount: 0 };
    }
    const walkSlot = messages[count - 1]?.slot ?? progress.walkSlot;
    return { ...progress, walkSlot, walkCount: Math.max(1, progress.walkCount - count) };
  };
  return { messages, replaced: [], after };
}

/** Returns the next messages by their numbers in the journal; when the journal begins later, they are found by a walk. */
async function follow(session: Session, { state, progress, messageCountMax }: Choosing): Promise<Batch> {
  const changes = await session.query<{ sequence: number; kind: number; id: MessageId | null }>(
    "select sequence, kind, id from change where server_id = $1 and sequence > $2 order by sequence limit $3",
    [state.server, progress.upTo, messageCountMax],
  );
  if (changes[0]?.sequence !== progress.upTo + 1) {
    const walkCount = Math.max(1, Math.min(state.messageCount, state.sequence - progress.upTo));
    const walking = { ...progress, walkTo: state.sequence, walkSlot: noSlot, walkCount };
    return { messages: [], replaced: [], after: () => walking };
  }
  const end = changes.at(-1)?.sequence ?? progress.upTo;
  const slots = changes.flatMap(({ kind, id }) => (kind < 2 && id !== null ? [bytesOf(id).slot] : []));
  // A message that was replaced has a later number, under which it is found again.
  const messages = await session.query<IndexedMessage>(
    `select slot, sequence, ${textBytes} as size from message
     where server_id = $1 and epoch = $2 and slot = any($3::uuid[]) and sequence <= $4 order by sequence`,
    [state.server, state.epoch, uuidArray(slots), end],
  );
  const after = (count: number): Progress => ({
    ...progress,
    upTo: count === messages.length ? end : (messages[count - 1]?.sequence ?? progress.upTo),
  });
  return { messages, replaced: [], after };
}

/** Returns small segments that are large enough together to be merged. */
async function chooseSmall(
  session: Session,
  state: SegmentScope,
  messageCountMax: number,
): Promise<readonly SmallSegment[]> {
  const small = await session.query<SmallSegment>(
    `select number, size from text_segment where server_id = $1 and epoch = $2 and not is_full and size * 2 <= $3
     order by number`,
    [state.server, state.epoch, messageCountMax],
  );
  const chosen: SmallSegment[] = [];
  let size = 0;
  for (const segment of small) {
    if (size + segment.size > messageCountMax) break;
    chosen.push(segment);
    size += segment.size;
  }
  const isEnough = size * 4 > messageCountMax * 3 || chosen.length < small.length;
  return isEnough && chosen.length > 1 ? chosen : [];
}

/** Returns the messages of segments, to be indexed in one that replaces them. */
async function rebuild(
  session: Session,
  of: Pick<Choosing, "state" | "progress"> & { readonly replaced: readonly SmallSegment[] },
): Promise<Batch> {
  const { state, progress } = of;
  const replaced = of.replaced.map(({ number }) => number);
  const members = [...(await readSlots(session, state, replaced)).values()].flatMap((slots) =>
    Array.from({ length: slots.length / slotBytes }, (_, at) => slots.subarray(at * slotBytes, (at + 1) * slotBytes)),
  );
  const messages = await session.query<IndexedMessage>(
    `select slot, sequence, ${textBytes} as size from message
     where server_id = $1 and epoch = $2 and slot = any($3::uuid[])`,
    [state.server, state.epoch, uuidArray(members)],
  );
  return { messages, replaced, after: () => progress };
}
