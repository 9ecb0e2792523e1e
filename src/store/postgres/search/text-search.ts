import type { Page } from "../../../core/criteria.ts";
import { firstIndex } from "../../page-bounds.ts";
import { termsOf } from "../../signatures/text-condition.ts";
import type { Session } from "../connection/database.ts";
import { predecessor, type SlotRange } from "../messages/id-slots.ts";
import type { SegmentLists } from "../text-index/segment-lists.ts";
import { IndexedSearch } from "./indexed-search.ts";
import { scanSlice, stopWhenLeft, type Matches, type Slice } from "./scan-slice.ts";
import type { SearchPlan } from "./search-plan.ts";

/** Messages that one statement scans by default, so that no statement takes long. */
const sliceMessageCountUsual = 2000;
/** Messages that are scanned before the index is used: a term that most messages contain fills a page from them. */
const firstSliceMessageCountMax = 100;
/** Messages whose scan takes as long as a look-up in the index. */
const lookupMessageCount = 500;

/** Options of searches in texts. */
export interface TextSearchOptions {
  readonly sliceMessageCount?: number | undefined;
  /** Whether searches use the text index. */
  readonly usesIndex: boolean;
  /** Cached segments of the text index. */
  readonly lists: SegmentLists;
}

/** Search in the texts of one server. */
export interface TextQuery {
  /** Number of the server. */
  readonly server: number;
  readonly range: SlotRange;
  readonly page: Page;
  readonly plan: SearchPlan;
  /** Aborts when the caller has disconnected; checked between statements. */
  readonly signal: AbortSignal;
}

/** Matches of a page, one more than its size when there are more, and the position of the server. */
export interface TextPage extends Matches {
  readonly epoch: number;
  readonly sequence: number;
}

/**
 * Scans messages newest first, in slices, until a page is full. When the text index is expected to be faster for the rest,
 * it is used, and only messages that are not indexed yet are scanned. The session must read one snapshot along ordered
 * indexes. Returns undefined when there is no such server.
 */
export async function searchTexts(
  session: Session,
  { server, range, page, plan, signal }: TextQuery,
  { sliceMessageCount = sliceMessageCountUsual, usesIndex, lists }: TextSearchOptions,
): Promise<TextPage | undefined> {
  const isIndexable = usesIndex && termsOf(plan.indexed).length > 0;
  const skipped = firstIndex(page);
  const end = skipped + page.itemsPerPage + 1;
  const firstCount = Math.min(isIndexable ? firstCountOf(plan) : Infinity, sliceMessageCount);
  const found: string[] = [];
  let [seen, looked, last] = [0, 0, range.last];
  const take = ({ count, json }: Matches): void => {
    seen += count;
    if (json !== null) found.push(json);
  };
  const isFaster = (slice: Slice): slice is Slice & { readonly upTo: number } =>
    isIndexable && slice.upTo !== null && isSooner({ seen, looked, need: end - seen, held: slice.held });
  for (;;) {
    stopWhenLeft(signal);
    const messageCount = looked === 0 ? firstCount : sliceMessageCount;
    const wanted = () => ({ range: { first: range.first, last }, skip: Math.max(0, skipped - seen), need: end - seen });
    const slice = await scanSlice(session, { server, plan, messageCount }, wanted());
    if (slice === undefined) return undefined;
    take(slice);
    looked += messageCount;
    const { epoch, sequence } = slice;
    if (seen < end && !isLast(slice, messageCount, range)) {
      last = predecessor(slice.lowest ?? range.first);
      if (!isFaster(slice)) continue;
      const query = { ...slice, server, direction: page.direction, plan, lists, signal, sliceMessageCount };
      take(await new IndexedSearch(session, query).find({ ...wanted(), isRare: seen === 0 }));
    }
    return { epoch, sequence, count: Math.max(0, seen - skipped), json: found.join(",") || null };
  }
}

/** Returns how many messages are compared before the index may be used. */
function firstCountOf({ slot }: SearchPlan): number {
  return slot === "m.slot" ? firstSliceMessageCountMax : Infinity;
}

/** Returns whether no older message is in the range. */
function isLast({ looked, lowest }: Slice, messageCount: number, { first }: SlotRange): boolean {
  return looked !== messageCount || lowest === null || lowest <= first;
}

/**
 * Returns true when the index compares fewer messages than further slices would, if matches stay as frequent as so far: the
 * index compares the matches of the page, slices all messages until it is full.
 */
export function isSooner(of: {
  readonly seen: number;
  readonly looked: number;
  readonly need: number;
  readonly held: number;
}): boolean {
  const frequency = Math.max(of.seen, 0.5) / of.looked;
  const compared = Math.min(of.need, of.held * frequency);
  return Math.min(of.need / frequency, of.held - of.looked) > 2 * compared + lookupMessageCount;
}
