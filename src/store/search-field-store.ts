/** Contract of the part of the store that holds the search fields of messages, for those that have none yet. */
import type { MessageId, ServerId } from "../core/ids.ts";
import type { SearchFields } from "../core/search/search-fields.ts";

/** Search fields of one message. */
export interface MessageFields {
  readonly id: MessageId;
  readonly fields: SearchFields;
  /** Size of the raw bytes. */
  readonly sizeBytes: number;
}

/** Search fields of messages that were stored before `SearchKeys.fields` existed. */
export interface SearchFieldStore {
  /** Returns messages without search fields with ids above `after`, in the order of their ids, at most `limit`. */
  listWithoutFields(after: MessageId | null, limit: number): Promise<readonly MessageId[]>;
  /** Number of messages without search fields, of one server or, including those that are being purged, of all. */
  countWithoutFields(server: ServerId | null): Promise<number>;
  /** Stores the fields of messages that have none; others, and those that do not exist, stay as they are. */
  putFields(messages: readonly MessageFields[]): Promise<void>;
}
