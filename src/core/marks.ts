/** Marks of messages: flags and tags, which readers change, unlike the message itself. */
import { Problem } from "./errors.ts";
import { markHidingReaderCountMax, markTagCountMax, markTagLengthMax } from "./limits.ts";

/** Flags of a message (RFC 9051 section 2.3.2), in the order of their bits in the stores. */
export const messageFlags = ["seen", "answered", "flagged", "deleted", "draft"] as const;

/** Flag of a message. */
export type MessageFlag = (typeof messageFlags)[number];

/** Marks of a message. */
export interface Marks {
  /** In the order of {@link messageFlags}, without duplicates. */
  readonly flags: readonly MessageFlag[];
  /** In the order of their UTF-16 code units; no two differ in case only. At most `markTagCountMax`. */
  readonly tags: readonly string[];
}

/** Marks of a message as the store keeps them. */
export interface StoredMarks extends Marks {
  /** Readers that have hidden the message from themselves, at most `markHidingReaderCountMax`; absent for none. */
  readonly hiddenFrom?: readonly string[];
}

/** Marks of a message that has none. */
export const noMarks: Marks = { flags: [], tags: [] };

/** Change of marks: removals come first. Tags are compared without case. */
export interface MarkChange {
  readonly addFlags?: readonly MessageFlag[];
  readonly removeFlags?: readonly MessageFlag[];
  readonly addTags?: readonly string[];
  /** Tags to remove; `"all"` for every tag. */
  readonly removeTags?: readonly string[] | "all";
  /** Reader that does not see the messages from now on. */
  readonly hideFrom?: string;
  /** Messages that were stored, or whose marks have changed, after this sequence number are not changed. */
  readonly unchangedSince?: number;
}

/**
 * Returns marks after a change. Throws `limit_reached` when a message would have more than `markTagCountMax` tags, or would be
 * hidden from more than `markHidingReaderCountMax` readers.
 */
export function changeMarks(marks: StoredMarks, change: MarkChange): StoredMarks {
  const { addFlags = [], removeFlags = [], addTags = [], removeTags = [] } = change;
  const flags = messageFlags.filter(
    (flag) => addFlags.includes(flag) || (marks.flags.includes(flag) && !removeFlags.includes(flag)),
  );
  const removed = removeTags === "all" ? null : new Set(removeTags.map(tagIdentity));
  const kept = marks.tags.filter((tag) => removed !== null && !removed.has(tagIdentity(tag)));
  const byIdentity = new Map<string, string>();
  for (const tag of [...kept, ...addTags]) {
    if (!byIdentity.has(tagIdentity(tag))) byIdentity.set(tagIdentity(tag), tag);
  }
  if (byIdentity.size > markTagCountMax) throw new Problem("limit_reached");
  return { flags, tags: [...byIdentity.values()].toSorted(), ...hideFrom(marks, change) };
}

function hideFrom({ hiddenFrom = [] }: StoredMarks, { hideFrom: reader }: MarkChange): Pick<StoredMarks, "hiddenFrom"> {
  const readers = reader === undefined || hiddenFrom.includes(reader) ? hiddenFrom : [...hiddenFrom, reader];
  if (readers.length > markHidingReaderCountMax) throw new Problem("limit_reached");
  return readers.length === 0 ? {} : { hiddenFrom: readers };
}

/** Whether both marks are equal. */
export function sameMarks(a: StoredMarks, b: StoredMarks): boolean {
  const isHiddenAlike = a.hiddenFrom?.join("\n") === b.hiddenFrom?.join("\n");
  return flagBits(a.flags) === flagBits(b.flags) && a.tags.join("\n") === b.tags.join("\n") && isHiddenAlike;
}

/** Returns the bits of flags, as stores keep them. */
export function flagBits(flags: readonly MessageFlag[]): number {
  return messageFlags.reduce((bits, flag, index) => (flags.includes(flag) ? bits | (1 << index) : bits), 0);
}

/** Returns the flags of bits. */
export function flagsOfBits(bits: number): readonly MessageFlag[] {
  return messageFlags.filter((_, index) => (bits & (1 << index)) !== 0);
}

/**
 * Returns a tag without surrounding white space, inner white space as single spaces; undefined when it is empty, longer
 * than `markTagLengthMax` UTF-16 code units, or has control characters or commas, which separate tags in headers.
 */
export function readTag(text: string): string | undefined {
  const tag = text.trim().replaceAll(/[ \t]+/g, " ");
  return tag === "" || tag.length > markTagLengthMax || /[\p{Cc},]/u.test(tag) || !tag.isWellFormed() ? undefined : tag;
}

/** Returns the value by which tags are compared. */
export function tagIdentity(tag: string): string {
  return tag.toLowerCase();
}
