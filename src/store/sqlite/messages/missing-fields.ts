import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  decodeMessageId,
  encodeMessageId,
  idFromBytes,
  idToBytes,
  type MessageId,
  type ServerId,
} from "../../../core/ids.ts";
import { encodeSearchFields, searchFieldsVersion } from "../../../core/search/search-fields.ts";
import type { MessageFields, SearchFieldStore } from "../../search-field-store.ts";
import type { Thread } from "../threads/thread.ts";
import { idsSince } from "./id-range.ts";

/** Condition in SQL of a row whose fields are missing or outdated; as the index of these messages has it, so that it is used. */
export const isMissing: string = `(fields is null or substr(fields, -1) <> char(${searchFieldsVersion.charCodeAt(0)}))`;

/** Calls of the writer thread about search fields. */
export interface SearchFieldCalls {
  putFields(messages: readonly MessageFields[]): void;
}

/** Binds the changes of search fields, for use inside the writer's transaction. */
export function bindSearchFieldCalls(database: DatabaseSync): SearchFieldCalls {
  const put = database.prepare(
    `update subject set fields = ?, size = ?
     where epoch = (select epoch from server where id = ?) and id = ? and ${isMissing}`,
  );
  return {
    putFields: (messages) => {
      for (const { id, fields, sizeBytes } of messages) {
        put.run(encodeSearchFields(fields), sizeBytes, decodeMessageId(id).server, idToBytes(id));
      }
    },
  };
}

const noId = new Uint8Array(0);

/** Queries of messages without search fields. */
export class MissingFieldReads {
  readonly #list: StatementSync;
  readonly #countAll: StatementSync;
  readonly #any: StatementSync;
  readonly #countBetween: StatementSync;

  constructor(database: DatabaseSync) {
    // Messages of deleted and emptied servers are purged later.
    const missing = `from subject where ${isMissing} and epoch in (select epoch from server)`;
    this.#list = database.prepare(`select id ${missing} and id > ? order by id limit ? + 0`);
    this.#countAll = database.prepare(`select count(*) as count from subject where ${isMissing}`);
    this.#any = database.prepare(`select 1 from subject where ${isMissing} limit 1`);
    this.#countBetween = database.prepare(`select count(*) as count ${missing} and id between ? and ?`);
  }

  list(after: MessageId | null, limit: number): readonly MessageId[] {
    const rows = this.#list.all(after === null ? noId : idToBytes(after), limit);
    return rows.map((row) => idFromBytes(row["id"] as Uint8Array));
  }

  /** Whether there are messages without fields, including messages that are being purged. */
  exist(): boolean {
    return this.#any.get() !== undefined;
  }

  count(server: ServerId | null): number {
    if (server === null) return Number(this.#countAll.get()?.["count"]);
    const first = idToBytes(encodeMessageId({ server, direction: "Received", receivedAt: 0, random: 0 }));
    return Number(this.#countBetween.get(first, idsSince(server, "Sent", 0).last)?.["count"]);
  }
}

/** Receivers of changes of search fields. */
export interface SearchFieldReceivers {
  /** Called with the server of changed messages. */
  readonly onChanged: (server: ServerId) => void;
  /** Called when no message without fields is left. */
  readonly onComplete: () => void;
}

/** Creates the store of search fields. */
export function createSearchFieldStore(
  writer: Thread<SearchFieldCalls>,
  read: <Result>(body: (missing: MissingFieldReads) => Result) => Result,
  { onChanged, onComplete }: SearchFieldReceivers,
): SearchFieldStore {
  return {
    listWithoutFields: async (after, limit) => read((missing) => missing.list(after, limit)),
    countWithoutFields: async (server) => read((missing) => missing.count(server)),
    putFields: async (messages) => {
      try {
        await writer.call("putFields", [messages]);
      } finally {
        for (const server of new Set(messages.map(({ id }) => decodeMessageId(id).server))) onChanged(server);
      }
      if (!read((missing) => missing.exist())) onComplete();
    },
  };
}
