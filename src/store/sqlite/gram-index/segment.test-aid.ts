/** What the tests of the gram index share. */
import fc from "fast-check";
import { SegmentBuilder } from "./segment-builder.ts";
import type { MessageTexts } from "./segment-builder.ts";
import { readParcel } from "./page-parcel.ts";
import type { Page, PageParcel } from "./page-parcel.ts";
import type { SegmentPages } from "./segment-pages.ts";

/** A segment in memory. */
export interface TestSegment extends SegmentPages {
  readonly unindexed: readonly number[];
  readonly pages: readonly Page[];
}

/** A segment over pages that were made for so many messages. */
export function segmentOf(pages: readonly Page[], size: number, unindexed: readonly number[] = []): TestSegment {
  const keyPages = pages.filter((page) => page.kind === "key");
  const setPages = new Map(pages.filter((page) => page.kind === "set").map((page) => [page.number, page.bytes]));
  return {
    pages,
    size,
    unindexed,
    readKeyPages(first, last) {
      const start = keyPages.findLastIndex((page) => page.number <= first);
      return keyPages.filter((page, index) => index >= start && page.number <= last).map((page) => page.bytes);
    },
    readSetPage: (number) => setPages.get(number),
  };
}

/** Builds a segment; `ordinals` as in `SegmentBuilder.finish`, by default in the order of the messages. */
export function buildSegment(
  messages: readonly MessageTexts[],
  ordinals: readonly number[] = messages.map((_, place) => place),
): TestSegment {
  const builder = new SegmentBuilder(messages.length);
  for (const message of messages) builder.add(message);
  const pages: Page[] = [];
  const portions = builder.finish(ordinals);
  for (let step = portions.next(); ; step = portions.next()) {
    if (step.done === true) return segmentOf(pages, step.value.size, step.value.unindexed);
    pages.push(...pagesOf(step.value));
  }
}

/** The pages of some parcels. */
export function pagesOf(parcels: readonly PageParcel[]): Page[] {
  return parcels.flatMap((parcel) => Array.from(readParcel(parcel)));
}

/** UTF-8. */
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The texts of a message. */
export function texts(subject: string, body: string): MessageTexts {
  return { subject: utf8(subject), body: utf8(body) };
}

/** Texts that repeat themselves and one another, in several scripts, as mails do; no NUL, as after folding. */
export const arbitraryText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom('<td style="padding:4px">', "hello ", "aaaaaaaaaa", "ababab", "日本語", "👍🏽", "שלום", "ñandú\n"),
      fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll("\0", "")),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));
