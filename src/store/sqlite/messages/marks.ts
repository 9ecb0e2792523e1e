import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decodeMessageId, idFromBytes, idToBytes } from "../../../core/ids.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { serverTagCountMax } from "../../../core/limits.ts";
import { changeMarks, flagBits, noMarks, sameMarks } from "../../../core/marks.ts";
import type { MarkChange, StoredMarks } from "../../../core/marks.ts";
import type { Direction } from "../../../core/message.ts";
import { identityCountMax, markedOf, marksOf, requireMarkedCount } from "../../mark-store.ts";
import type { IdentityPage, MarkColumns, MarkedMessage, MarkOutcome, MarkStore, TagCount } from "../../mark-store.ts";
import { ServerReads } from "../account/servers.ts";
import type { Thread } from "../threads/thread.ts";
import type { Journal } from "./changes.ts";
import { idsSince } from "./id-range.ts";
import { keyRoles, type StoredKeys } from "./key-roles.ts";

/** Calls of the writer thread about marks. */
export interface MarkCalls {
  changeMarks(server: ServerId, ids: readonly MessageId[], change: MarkChange): MarkOutcome;
}

/** Calls of the reader thread about marks: reads whose duration depends on the size of a server. */
export interface MarkReaderCalls {
  listHidden(server: ServerId, reader: string, sequence: number): readonly MarkedMessage[];
  listTags(server: ServerId): readonly TagCount[];
  countUnseen(server: ServerId, direction: Direction): number;
  listIdentities(server: ServerId, direction: Direction, after: MessageId | null): IdentityPage;
}

/** Marks before a change, and the number of the last change of the message or its marks. */
interface FormerMarks {
  readonly marks: StoredMarks;
  readonly sequence: number;
}

/** Changes of marks, for use inside the writer's transaction. */
export class MarkWrites {
  readonly #find: StatementSync;
  readonly #put: StatementSync;
  readonly #labels: StatementSync;
  readonly #addTag: StatementSync;
  readonly #removeTag: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: DatabaseSync) {
    this.#find = database.prepare(
      `select k.flags, k.tags, k.hidden_from as hidden, max(m.sequence, coalesce(k.sequence, 0)) as sequence from message m left join mark k on k.epoch = m.epoch and k.id = m.id
       where m.epoch = ? and m.id = ?`,
    );
    this.#put = database.prepare(
      "insert or replace into mark (epoch, id, flags, tags, sequence, hidden_from) values (?, ?, ?, ?, ?, ?)",
    );
    this.#labels = database.prepare(
      `select c.addresses from message m join content c on c.number = m.content where m.epoch = ? and m.id = ?`,
    );
    this.#addTag = database.prepare("insert or ignore into address (epoch, role, address, id) values (?, ?, ?, ?)");
    this.#removeTag = database.prepare("delete from address where epoch = ? and role = ? and address = ? and id = ?");
    this.#remove = database.prepare("delete from mark where epoch = ? and id = ? returning tags");
  }

  /** Returns the marks of a message; undefined when there is no such message. */
  find(epoch: number, id: Uint8Array): FormerMarks | undefined {
    const row = this.#find.get(epoch, id) as unknown as
      | MarkColumns
      | { readonly flags: null; readonly sequence: number }
      | undefined;
    if (row === undefined) return undefined;
    return { marks: row.flags === null ? noMarks : marksOf(row), sequence: row.sequence };
  }

  /** Stores marks in place of the former ones. */
  put(
    { epoch, id, sequence }: { readonly epoch: number; readonly id: Uint8Array; readonly sequence: number },
    marks: StoredMarks,
    former: StoredMarks = noMarks,
  ): void {
    const hidden = marks.hiddenFrom === undefined ? null : JSON.stringify(marks.hiddenFrom);
    this.#put.run(epoch, id, flagBits(marks.flags), JSON.stringify(marks.tags), sequence, hidden);
    for (const tag of marks.tags) if (!former.tags.includes(tag)) this.#addTag.run(epoch, keyRoles.tag, tag, id);
    const removed = former.tags.filter((tag) => !marks.tags.includes(tag));
    if (removed.length === 0) return;
    const labels = this.#labelsOf(epoch, id);
    for (const tag of removed) if (!labels.includes(tag)) this.#removeTag.run(epoch, keyRoles.tag, tag, id);
  }

  /** Removes the marks of a deleted message. */
  removeOf(epoch: number, id: Uint8Array): void {
    const row = this.#remove.get(epoch, id);
    if (row === undefined) return;
    for (const tag of JSON.parse(row["tags"] as string) as readonly string[]) {
      this.#removeTag.run(epoch, keyRoles.tag, tag, id);
    }
  }

  /** Returns the tags that a provider gave a message, which it keeps. */
  #labelsOf(epoch: number, id: Uint8Array): readonly string[] {
    const addresses = this.#labels.get(epoch, id)?.["addresses"] as string | undefined;
    const [, , labels] = JSON.parse(addresses ?? "[]") as Partial<StoredKeys>;
    return labels?.tag ?? [];
  }
}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindMarkCalls(database: DatabaseSync, journal: Journal): MarkCalls {
  const writes = new MarkWrites(database);
  const servers = new ServerReads(database);
  return {
    changeMarks: (server, ids, change) => {
      const position = servers.position(server);
      if (position === undefined) return { sequence: undefined, changed: [] };
      const { epoch, number } = position;
      const { unchangedSince } = change;
      const found = [...new Set(ids)].flatMap((id) => {
        const former = decodeMessageId(id).server === server ? writes.find(epoch, idToBytes(id)) : undefined;
        return former === undefined ? [] : [{ id, ...former }];
      });
      const isModified = ({ sequence }: FormerMarks): boolean => sequence > (unchangedSince ?? Infinity);
      const modified = unchangedSince === undefined ? {} : { modified: found.filter(isModified).map(({ id }) => id) };
      const changes = found.flatMap((former) => {
        const marks = isModified(former) ? former.marks : changeMarks(former.marks, change);
        return sameMarks(marks, former.marks) ? [] : [{ id: former.id, former: former.marks, marks }];
      });
      const [first, ...others] = changes;
      if (first === undefined) return { sequence: undefined, changed: [], ...modified };
      const sequence = journal.append(number, "marked", others.length === 0 ? idToBytes(first.id) : null);
      for (const { id, marks, former } of changes) writes.put({ epoch, id: idToBytes(id), sequence }, marks, former);
      return { sequence, changed: changes.map(({ id }) => id), ...modified };
    },
  };
}

interface ListedRow extends MarkColumns {
  readonly id: Uint8Array;
}

/** Queries of marks. */
export class MarkReads implements MarkReaderCalls {
  readonly #servers: ServerReads;
  readonly #get: StatementSync;
  readonly #list: StatementSync;
  readonly #hidden: StatementSync;
  readonly #tags: StatementSync;
  readonly #seen: StatementSync;
  readonly #identities: StatementSync;

  constructor(database: DatabaseSync, servers: ServerReads) {
    this.#servers = servers;
    const ofServer = "from mark where epoch = (select epoch from server where id = ?1)";
    const columns = "select id, flags, tags, sequence, hidden_from as hidden";
    const listOf = (rows: string): string =>
      `${columns} ${rows} and sequence > ?2
       and sequence <= coalesce((select sequence ${rows} and sequence > ?2 order by sequence limit 1 offset ?3 - 1), 9223372036854775807)
       order by sequence, id`;
    this.#get = database.prepare(`${columns} ${ofServer} and id = ?2`);
    this.#list = database.prepare(listOf(ofServer));
    this.#hidden = database.prepare(listOf(`${ofServer} and hidden_from is not null and instr(hidden_from, ?4) > 0`));
    this.#tags = database.prepare(
      `select t.value as tag, count(*) as messageCount from mark k, json_each(k.tags) t
       where k.epoch = (select epoch from server where id = ?) and k.tags <> '[]' group by t.value order by t.value limit ? + 0`,
    );
    this.#seen = database.prepare(
      "select count(*) as count from mark where epoch = ? and id between ? and ? and flags & ? <> 0",
    );
    this.#identities = database.prepare(
      "select id, sequence from message where epoch = ? and id > ? and id <= ? order by id limit ? + 0",
    );
  }

  /** Returns the marks of a message; undefined when it has never had any. */
  get(id: MessageId): MarkedMessage | undefined {
    const row = this.#get.get(decodeMessageId(id).server, idToBytes(id)) as unknown as ListedRow | undefined;
    return row === undefined ? undefined : markedOf(id, row);
  }

  /** Implements `listMarks` of the contract. */
  list(server: ServerId, sequence: number, limit: number): readonly MarkedMessage[] {
    return (this.#list.all(server, sequence, limit) as unknown as readonly ListedRow[]).map(listed);
  }

  listHidden(server: ServerId, reader: string, sequence: number): readonly MarkedMessage[] {
    const rows = this.#hidden.all(server, sequence, identityCountMax, JSON.stringify(reader));
    return (rows as unknown as readonly ListedRow[]).map(listed);
  }

  listTags(server: ServerId): readonly TagCount[] {
    const rows = this.#tags.all(server, serverTagCountMax) as unknown as readonly TagCount[];
    return rows.map(({ tag, messageCount }) => ({ tag, messageCount }));
  }

  countUnseen(server: ServerId, direction: Direction): number {
    const position = this.#servers.position(server);
    if (position === undefined) return 0;
    const { first, last } = idsSince(server, direction, 0);
    const seen = this.#seen.get(position.epoch, first, last, flagBits(["seen"]))?.["count"] as number;
    return (direction === "Sent" ? position.sentCount : position.receivedCount) - seen;
  }

  listIdentities(server: ServerId, direction: Direction, after: MessageId | null): IdentityPage {
    const position = this.#servers.position(server);
    if (position === undefined) return { identities: [], cursor: 0, hasMore: false };
    const { first, last } = idsSince(server, direction, 0);
    // The first id of a range belongs to no message: its random part is 0 at instant 0.
    const from = after === null ? first : idToBytes(after);
    const rows = this.#identities.all(position.epoch, from, last, identityCountMax);
    return {
      identities: rows.map((row) => ({ id: idFromBytes(row["id"] as Uint8Array), sequence: Number(row["sequence"]) })),
      cursor: position.sequence,
      hasMore: rows.length === identityCountMax,
    };
  }
}

function listed(row: ListedRow): MarkedMessage {
  return markedOf(idFromBytes(row.id), row);
}

/** Creates the store of marks. `onChanged` is called after each attempt to change marks of a server. */
export function createMarkStore({
  writer,
  reader,
  read,
  onChanged,
}: {
  readonly writer: Thread<MarkCalls>;
  readonly reader: Thread<MarkReaderCalls>;
  readonly read: <Result>(body: (marks: MarkReads) => Result) => Result;
  readonly onChanged: (server: ServerId) => void;
}): MarkStore {
  return {
    readMarks: async (server, ids) =>
      read((marks) => ids.flatMap((id) => (decodeMessageId(id).server === server ? (marks.get(id) ?? []) : []))),
    changeMarks: async (server, ids, change) => {
      requireMarkedCount(ids);
      try {
        return await writer.call("changeMarks", [server, ids, change]);
      } finally {
        onChanged(server);
      }
    },
    listMarks: async (server, sequence, limit) => read((marks) => marks.list(server, sequence, limit)),
    listHidden: async (server, of, sequence) => reader.call("listHidden", [server, of, sequence]),
    listTags: async (server) => reader.call("listTags", [server]),
    countUnseen: async (server, direction) => reader.call("countUnseen", [server, direction]),
    listIdentities: async (server, direction, after) => reader.call("listIdentities", [server, direction, after]),
  };
}
