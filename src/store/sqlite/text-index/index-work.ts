import type { DatabaseSync, StatementSync } from "node:sqlite";
import { idFromBytes } from "../../../core/ids.ts";
import { damagedMessage, isDamage, withContent, type ContentLayout } from "../../content/layout.ts";
import { ignoreDamage, type OnDamage, layoutColumns } from "../content/content-tables.ts";
import { toProblem } from "../connection/errors.ts";
import { SegmentBuilder, SignatureMaker } from "../../signatures/segment-builder.ts";
import { mergeSegments } from "../../signatures/segment-merger.ts";
import type { PageBatch } from "../../signatures/page-batch.ts";
import { arrange, type Arrangement, type Member } from "../../signatures/arrange.ts";
import { gapsBetween, memberPages, readMembers, SegmentReads, type Gap, type Segment } from "./segments.ts";
import type { SegmentWrite } from "./segment-writes.ts";

/** Thresholds and segment sizes of the text index. */
export interface IndexSettings {
  /** Servers with fewer messages have no index: scanning them is as fast. */
  readonly serverMessageCountMin: number;
  /** Unindexed messages from which a segment is built. */
  readonly newMessageCountMin: number;
  /** Messages of a newly built segment; {@link mergeFactors} limits merged ones. */
  readonly segmentMessageCountMax: number;
}

/** Default settings, chosen by measurement. */
export const defaultIndexSettings: IndexSettings = {
  serverMessageCountMin: 200,
  newMessageCountMin: 128,
  segmentMessageCountMax: 2048,
};

/**
 * Sizes of merged segments, as multiples of a newly built one, in ascending steps, so that each message is
 * rewritten a few times only. The largest segments have up to 5/4 as many, which 16-bit ordinals can number.
 */
const mergeFactors = [1, 8, 24] as const;

/**
 * Value yielded at each pause: a write, whose result must be passed to `next`, or undefined for a pause without a
 * write.
 */
export type IndexStep = SegmentWrite | undefined;
type Steps<Result = void> = Generator<IndexStep, Result, number>;

/** Messages read between two pauses: a few milliseconds. */
const messageCountPerStep = 16;

interface GapRow {
  readonly id: Uint8Array;
  readonly sequence: number;
  readonly content: number;
}

interface TextRow extends ContentLayout {
  readonly subject: string;
  readonly fields: string;
  /** The column that holds the body. */
  readonly column: Uint8Array;
}

/** Builds and merges the segments of the text index in steps, over a read-only connection. */
export class IndexWork {
  readonly #settings: IndexSettings;
  readonly #segments: SegmentReads;
  readonly #maker = new SignatureMaker();
  readonly #servers: StatementSync;
  readonly #gapRows: StatementSync;
  readonly #text: StatementSync;
  readonly #hasMessages: StatementSync;
  readonly #exists: StatementSync;
  readonly #onDamage: OnDamage;

  /** `onDamage` is called for each message whose texts cannot be read, when the segment that covers it is built. */
  constructor(database: DatabaseSync, settings: IndexSettings, onDamage: OnDamage = ignoreDamage) {
    this.#settings = settings;
    this.#onDamage = onDamage;
    this.#segments = new SegmentReads(database);
    this.#servers = database.prepare(
      "select epoch, sequence from server where received_count + sent_count >= ? order by number",
    );
    this.#gapRows = database.prepare(
      `select id, sequence, content from message indexed by message_sequence
       where epoch = ? and sequence between ? and ? order by sequence limit ? + 0`,
    );
    this.#text = database.prepare(
      `select s.text as subject, s.fields, coalesce(c.body, c.detail) as column, ${layoutColumns}
       from subject s join content c on c.number = s.content where s.epoch = ? and s.id = ? and s.content = ?`,
    );
    this.#hasMessages = database.prepare(
      "select 1 from message indexed by message_sequence where epoch = ? and sequence between ? and ? limit 1",
    );
    this.#exists = database.prepare("select 1 from message where epoch = ? and id = ? and sequence between ? and ?");
  }

  /** Executes all pending work, including work that arrives in the meantime. */
  *run(): Steps {
    for (let didSome = true; didSome;) {
      didSome = false;
      for (const row of this.#servers.all(this.#settings.serverMessageCountMin)) {
        const { epoch, sequence } = row as unknown as { epoch: number; sequence: number };
        if (yield* this.#improve(epoch, sequence)) didSome = true;
      }
    }
  }

  /** Makes one improvement to a server's index; false when none is possible. */
  *#improve(epoch: number, sequence: number): Steps<boolean> {
    const segments = this.#segments.list(epoch);
    const empty = segments.find(
      ({ firstSequence, lastSequence }) => this.#hasMessages.get(epoch, firstSequence, lastSequence) === undefined,
    );
    if (empty !== undefined) return (yield { kind: "drop", segment: empty.number }) === 1;
    const { segmentMessageCountMax, newMessageCountMin } = this.#settings;
    const [smallest, ...larger] = mergeFactors;
    const gaps = gapsBetween(segments, sequence);
    // Far behind, messages are indexed before large segments are merged, which only makes searches faster.
    return (
      (yield* this.#mergeOnce(epoch, segments, [smallest])) ||
      (yield* this.#fillGap(epoch, gaps, () => segmentMessageCountMax)) ||
      (yield* this.#mergeOnce(epoch, segments, larger)) ||
      (yield* this.#fillGap(epoch, gaps, ({ last }) => (last === sequence ? newMessageCountMin : 1)))
    );
  }

  /** Merges segments up to the first size for which some are mergeable; false when none are. */
  *#mergeOnce(epoch: number, segments: readonly Segment[], factors: readonly number[]): Steps<boolean> {
    for (const factor of factors) {
      const mergeable = chooseMerge(segments, this.#settings.segmentMessageCountMax * factor);
      if (mergeable !== undefined) return yield* this.#merge(epoch, mergeable);
    }
    return false;
  }

  /** Builds a segment in the oldest gap with at least `countMin` messages; false when there is none. */
  *#fillGap(epoch: number, gaps: readonly Gap[], countMin: (gap: Gap) => number): Steps<boolean> {
    for (const gap of gaps) {
      const rows = this.#readGap(epoch, gap);
      if (rows.length >= countMin(gap)) return yield* this.#build(epoch, gap, rows);
    }
    return false;
  }

  #readGap(epoch: number, gap: Gap): readonly GapRow[] {
    const limit = this.#settings.segmentMessageCountMax;
    return this.#gapRows.all(epoch, gap.first, gap.last, limit) as unknown as readonly GapRow[];
  }

  /** Builds a segment from the gap's first messages. */
  *#build(epoch: number, gap: Gap, rows: readonly GapRow[]): Steps<boolean> {
    const builder = new SegmentBuilder(this.#settings.segmentMessageCountMax, this.#maker);
    const members: Member[] = [];
    let lastSequence = gap.first;
    for (const [place, row] of rows.entries()) {
      if (builder.isFull) break;
      lastSequence = row.sequence;
      if (!this.#addTexts(builder, epoch, row)) continue;
      members.push({ id: row.id });
      if (place % messageCountPerStep === messageCountPerStep - 1) yield undefined;
    }
    const arrangement = arrange(members);
    const segment = yield { kind: "open", epoch };
    if (segment === 0) return false;
    const built = yield* writePages(segment, builder.finish(arrangement.ordinals));
    if (built === undefined) return false;
    return yield* complete(segment, {
      arrangement,
      covered: { first: gap.first, last: lastSequence },
      unindexed: built.unindexed,
      replaced: [],
    });
  }

  /**
   * Adds the texts of one message to a segment; false where the message was deleted. A damaged message, or one without its
   * content or subject row, is reported and added unindexed, so that searches compare its remaining texts and the index
   * covers the messages after it.
   */
  #addTexts(builder: SegmentBuilder, epoch: number, { id, sequence, content }: GapRow): boolean {
    let cause = "its body does not decompress";
    try {
      const row = this.#text.get(epoch, id, content) as unknown as TextRow | undefined;
      if (row === undefined) {
        if (this.#exists.get(epoch, id, sequence, sequence) === undefined) return false;
        cause = "its content or subject row is missing";
      } else {
        const isAdded = withContent("body", row, (body) => {
          builder.add({ subject: Buffer.from(row.subject), body, fields: Buffer.from(row.fields) });
          return true;
        });
        if (isAdded === true) return true;
      }
    } catch (error) {
      if (!isDamage(toProblem(error))) throw error;
      cause = "the pages of its content are damaged";
    }
    builder.addUnindexed();
    this.#onDamage(damagedMessage(idFromBytes(id), `${cause}, so the text index leaves it out`));
    return true;
  }

  /** Merges adjacent segments, omitting messages that were deleted since. */
  *#merge(epoch: number, segments: readonly Segment[]): Steps<boolean> {
    const members: Member[] = [];
    for (const segment of segments) {
      for (const id of readMembers(this.#segments, segment)) {
        const { firstSequence, lastSequence } = segment;
        const exists = this.#exists.get(epoch, id, firstSequence, lastSequence) !== undefined;
        members.push({ id: exists ? id : undefined });
      }
      yield undefined;
    }
    const arrangement = arrange(members);
    const number = yield { kind: "open", epoch };
    if (number === 0) return false;
    let start = 0;
    const unindexed: number[] = [];
    const sources = segments.map((segment) => {
      const ordinals = Int32Array.from(arrangement.ordinals.slice(start, start + segment.size));
      start += segment.size;
      unindexed.push(...segment.unindexed.map((ordinal) => ordinals[ordinal] ?? -1).filter((ordinal) => ordinal >= 0));
      return { pages: this.#segments.pages(segment), ordinals };
    });
    const merged = yield* writePages(number, mergeSegments(sources));
    if (merged === undefined) return false;
    return yield* complete(number, {
      arrangement,
      covered: { first: segments[0]?.firstSequence ?? 0, last: segments.at(-1)?.lastSequence ?? 0 },
      unindexed,
      replaced: segments.map((segment) => segment.number),
    });
  }
}

/** Yields pages as small writes; returns the source's result, undefined when the segment must be abandoned. */
function* writePages<Result>(
  segment: number,
  source: Generator<readonly PageBatch[], Result>,
): Steps<Result | undefined> {
  for (;;) {
    const step = source.next();
    if (step.done === true) return step.value;
    yield undefined;
    for (const pages of step.value) {
      if ((yield { kind: "pages", segment, pages }) === 0) return undefined;
    }
  }
}

interface Completion {
  readonly arrangement: Arrangement;
  readonly covered: Gap;
  readonly unindexed: readonly number[];
  readonly replaced: readonly number[];
}

function* complete(segment: number, completion: Completion): Steps<boolean> {
  const { arrangement, covered, unindexed, replaced } = completion;
  for (const pages of memberPages(arrangement.ids)) {
    if ((yield { kind: "pages", segment, pages }) === 0) return false;
  }
  const { size, receivedSize, received, sent } = arrangement;
  const { first: firstSequence, last: lastSequence } = covered;
  const outline = { firstSequence, lastSequence, size, receivedSize, received, sent, unindexed };
  return (yield { kind: "complete", segment, outline, replaced }) === 1;
}

/** Adjacent segments that are merged at once, however small they are. */
const mergedSegmentCountMax = 16;

/** Returns the oldest adjacent small segments that are large enough together; undefined when there are none. */
function chooseMerge(segments: readonly Segment[], messageCountMax: number): readonly Segment[] | undefined {
  let chosen: Segment[] = [];
  let messageCount = 0;
  for (const segment of segments) {
    const isSmall = segment.size * 2 <= messageCountMax;
    const previous = chosen.at(-1);
    const follows = previous?.lastSequence === segment.firstSequence - 1;
    if (!isSmall || !follows) {
      chosen = [];
      messageCount = 0;
    }
    if (!isSmall) continue;
    chosen.push(segment);
    messageCount += segment.size;
    const isEnough = messageCount * 4 > messageCountMax * 3 || chosen.length >= mergedSegmentCountMax;
    if (isEnough && chosen.length > 1) return chosen;
  }
  return undefined;
}
