/** Contract of the part of the store that holds the search fields of messages, for those that an older version stored. */
import type { MessageId, ServerId } from "../core/ids.ts";
import type { SearchFields } from "../core/search/search-fields.ts";

/** Search fields of one message. */
export interface MessageFields {
  readonly id: MessageId;
  readonly fields: SearchFields;
  /** Size of the raw bytes. */
  readonly sizeBytes: number;
}

/**
 * Search fields of messages that an older version stored: without fields, or with fields of another version (see
 * `searchFieldsVersion`). The methods call both "without fields".
 */
export interface SearchFieldStore {
  /** Returns messages without search fields with ids above `after`, in the order of their ids, at most `limit`. */
  listWithoutFields(after: MessageId | null, limit: number): Promise<readonly MessageId[]>;
  /** Number of messages without search fields, of one server or, including those that are being purged, of all. */
  countWithoutFields(server: ServerId | null): Promise<number>;
  /** Stores the fields of messages without fields; ignores messages that have fields, and those that do not exist. */
  putFields(messages: readonly MessageFields[]): Promise<void>;
}
