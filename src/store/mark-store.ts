/** Contract of the store of what is kept beside messages: flags and tags with the order of changes, and annotations. */
import type { MessageId, ServerId } from "../core/ids.ts";
import { markedMessageCountMax, annotationBytesMax } from "../core/limits.ts";
import { flagsOfBits, type MarkChange, type Marks, type StoredMarks } from "../core/marks.ts";
import type { Direction } from "../core/message.ts";

/** Marks of one message. */
export interface MarkedMessage {
  readonly id: MessageId;
  readonly marks: Marks;
  /** Readers that have hidden the message from themselves; absent for none. */
  readonly hiddenFrom?: readonly string[];
  /** Sequence number of the last change of its marks. */
  readonly sequence: number;
}

/** Result of a change of marks. */
export interface MarkOutcome {
  /** Sequence number of the change; undefined when no marks have changed. */
  readonly sequence: number | undefined;
  /** Messages whose marks have changed, in the order in which they were given. */
  readonly changed: readonly MessageId[];
  /** Messages that were left out because of `unchangedSince`; absent without it. */
  readonly modified?: readonly MessageId[];
}

/** Tag of a server, and the number of its messages that have it. */
export interface TagCount {
  readonly tag: string;
  readonly messageCount: number;
}

/** Message, and the sequence number with which it was stored: unlike its id, it ascends in commit order. */
export interface MessageIdentity {
  readonly id: MessageId;
  readonly sequence: number;
}

/** Messages of a server by id. */
export interface IdentityPage {
  readonly identities: readonly MessageIdentity[];
  /** Last sequence number of the server: the page misses no message that was committed up to it. */
  readonly cursor: number;
  /** Whether messages with greater ids may exist. */
  readonly hasMore: boolean;
}

/** Messages that a search finds, newest first. */
export interface FoundMessages extends IdentityPage {
  /** Number of matches on the page; the identities are empty when they were only counted. */
  readonly count: number;
}

/** Number of messages that one call of `listIdentities` returns at most. */
export const identityCountMax = 10_000;

/**
 * Part of the store that holds marks. They are deleted with their message, kept when it is parsed again, and do not count
 * against the quota of the server. Tags are labels of the role `tag`: searches find them, beside those that a provider gave.
 */
export interface MarkStore {
  /** Returns the marks of the given messages, without messages that never had any, in any order. All belong to one server. */
  readMarks(server: ServerId, ids: readonly MessageId[]): Promise<readonly MarkedMessage[]>;
  /**
   * Changes marks of at most {@link markedMessageCountMax} messages of a server, as one change of kind `marked` whose id is
   * null when several messages have changed. Ids of no message are ignored. Rejects with `limit_reached`, and changes
   * nothing, when a message would have too many tags or hiding readers.
   */
  changeMarks(server: ServerId, ids: readonly MessageId[], change: MarkChange): Promise<MarkOutcome>;
  /**
   * Returns the messages whose marks changed after `sequence`, in the order of their last change: `limit`, and all further ones
   * of the last change, at most {@link markedMessageCountMax}, so that the next page can start after it.
   */
  listMarks(server: ServerId, sequence: number, limit: number): Promise<readonly MarkedMessage[]>;
  /**
   * Returns the messages that a reader has hidden from itself and whose marks changed after `sequence`, in the order of
   * {@link listMarks}: {@link identityCountMax}, and all further ones of the last change; none is the end.
   */
  listHidden(server: ServerId, reader: string, sequence: number): Promise<readonly MarkedMessage[]>;
  /** Returns the tags of the messages, by name (UTF-16 code units), at most `serverTagCountMax`; not those of providers. */
  listTags(server: ServerId): Promise<readonly TagCount[]>;
  /** Returns the number of messages of a direction without the flag `seen`. */
  countUnseen(server: ServerId, direction: Direction): Promise<number>;
  /** Returns the messages of a direction with ids above `after`, in the order of their ids, at most {@link identityCountMax}. */
  listIdentities(server: ServerId, direction: Direction, after: MessageId | null): Promise<IdentityPage>;
}

/** Columns of a row of `mark`. */
export interface MarkColumns {
  readonly flags: number;
  readonly tags: string;
  readonly hidden: string | null;
  readonly sequence: number;
}

/** Returns the marks of a row. */
export function marksOf({ flags, tags, hidden }: Omit<MarkColumns, "sequence">): StoredMarks {
  const hiddenFrom = hidden === null ? {} : { hiddenFrom: JSON.parse(hidden) as readonly string[] };
  return { flags: flagsOfBits(flags), tags: JSON.parse(tags) as readonly string[], ...hiddenFrom };
}

/** Returns the message of a row. */
export function markedOf(id: MessageId, row: MarkColumns): MarkedMessage {
  const { hiddenFrom, ...marks } = marksOf(row);
  return { id, marks, sequence: row.sequence, ...(hiddenFrom && { hiddenFrom }) };
}

/** Returns the marks of a message as they are stored. */
export function storedMarksOf({ marks, hiddenFrom }: MarkedMessage): StoredMarks {
  return { ...marks, ...(hiddenFrom && { hiddenFrom }) };
}

/** Throws when a call concerns more than {@link markedMessageCountMax} messages: callers divide it before. */
export function requireMarkedCount(ids: readonly MessageId[]): void {
  if (ids.length > markedMessageCountMax)
    throw new RangeError(`${ids.length} messages exceed ${markedMessageCountMax}`);
}

/** Kinds of annotations; a message has at most one of each. */
export const annotationKinds = ["transcript", "scan"] as const;

/**
 * Kind of an annotation: what the `scan` of the links of the message requested, or the `transcript` of a session that ends
 * after the commit; that of an SMTP session is part of the detail.
 */
export type AnnotationKind = (typeof annotationKinds)[number];

/** JSON document about a message, of at most {@link annotationBytesMax} bytes; opaque to the store. */
export interface Annotation {
  readonly kind: AnnotationKind;
  readonly json: string;
}

/**
 * Part of the store that holds annotations. They are deleted with their message, and count against the quota of the server: by
 * the bytes of their JSON, with their message. One that is added later counts too, and is stored even where it exceeds the quota.
 */
export interface AnnotationStore {
  /** Stores an annotation and replaces the former one of its kind; returns false when there is no such message. */
  putAnnotation(message: MessageId, annotation: Annotation): Promise<boolean>;
  /** Returns the JSON as it was stored; undefined when there is no such message or annotation. */
  getAnnotation(message: MessageId, kind: AnnotationKind): Promise<string | undefined>;
}

/** Throws when an annotation exceeds {@link annotationBytesMax}: callers shorten it before. */
export function requireAnnotationSize({ kind, json }: Annotation): void {
  const bytes = Buffer.byteLength(json);
  if (bytes > annotationBytesMax) throw new RangeError(`a ${kind} of ${bytes} bytes exceeds ${annotationBytesMax}`);
}
