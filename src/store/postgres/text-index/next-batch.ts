import { uuidArray } from "../connection/parameters.ts";
import type { Session } from "../connection/database.ts";
import { readSlots, slotBytes, type SegmentScope, type TextIndexSettings } from "./segments.ts";
import { textBytes, type IndexedMessage } from "./segment-writes.ts";

/** Server to be indexed. */
export interface ServerState extends SegmentScope {
  readonly sequence: number;
  readonly messageCount: number;
}

/** Row of `text_progress`. */
export interface Progress {
  readonly epoch: number;
  readonly upTo: number;
}

/** Messages to be indexed by one step. */
export interface Batch {
  readonly messages: readonly IndexedMessage[];
  /** Segments that contain them already. */
  readonly replaced: readonly number[];
  /** Returns the sequence number up to which messages are indexed when the first `count` of the messages are. */
  readonly upTo: (count: number) => number;
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
  const newCount = state.sequence - progress.upTo;
  const small = newCount >= messageCountMax ? [] : await chooseSmall(session, state, messageCountMax);
  if (small.length > 0) return await rebuild(session, { state, progress, replaced: small });
  return newCount >= newMessageCountMin ? await follow(session, { state, progress, messageCountMax }) : undefined;
}

/** Returns the next messages by their sequence numbers. A message that was replaced has a later number. */
async function follow(session: Session, { state, progress, messageCountMax }: Choosing): Promise<Batch> {
  const messages = await session.query<IndexedMessage>(
    `select slot, sequence, ${textBytes} as size from message
     where server_id = $1 and epoch = $2 and sequence > $3 and sequence <= $4 order by sequence limit $5`,
    [state.server, state.epoch, progress.upTo, state.sequence, messageCountMax],
  );
  const upTo = (count: number): number => {
    if (messages.length < messageCountMax && count === messages.length) return state.sequence;
    return messages[count - 1]?.sequence ?? progress.upTo;
  };
  return { messages, replaced: [], upTo };
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
  return { messages, replaced, upTo: () => progress.upTo };
}
