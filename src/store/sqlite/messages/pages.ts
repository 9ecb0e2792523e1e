import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { KeyCriterion, Page } from "../../../core/criteria.ts";
import { idFromBytes, type ServerId } from "../../../core/ids.ts";
import type { Direction } from "../../../core/message.ts";
import type { SummaryPage } from "../../store.ts";
import type { ChangeReads } from "./changes.ts";
import {
  intactSummary,
  joinedColumns,
  joinedSummaries,
  type JoinedSummaries,
  type OnDamage,
} from "../content/content-tables.ts";
import { idBytesSince, idsWithin, type IdRange, emptyPage, firstIndex, totalOf } from "../../page-bounds.ts";
import { keyRoles } from "./key-roles.ts";
import { newestCountMax, type Newest } from "./newest-messages.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import type { ServerReads } from "../account/servers.ts";

/** Range of a server's messages from which a page is read. */
interface Selection {
  readonly position: ServerPosition;
  readonly range: IdRange;
  /** Only changes after this number; 0 for all. */
  readonly afterSequence: number;
}

interface JoinedRow extends JoinedSummaries {
  readonly count: number;
  /** Id of the page's last message; older ones may follow. */
  readonly oldest: Uint8Array | null;
}

interface ListedRow {
  readonly id: Uint8Array;
  readonly summary: Uint8Array;
  readonly checksum: number;
}

/** Dependencies of {@link PageReads} beside the servers. */
interface PageDependencies {
  readonly changes: ChangeReads;
  readonly onDamage: OnDamage;
}

const noBytes = new Uint8Array(0);

/** Pages read by a table's index: lists, and searches for one address or label. */
export class PageReads {
  readonly #servers: ServerReads;
  readonly #changes: ChangeReads;
  readonly #rows: StatementSync;
  readonly #newest: StatementSync;
  readonly #newestAfter: StatementSync;
  readonly #byKey: StatementSync;
  readonly #hasByKey: StatementSync;
  readonly #has: StatementSync;

  readonly #onDamage: OnDamage;

  constructor(database: DatabaseSync, servers: ServerReads, { changes, onDamage }: PageDependencies) {
    this.#onDamage = onDamage;
    this.#servers = servers;
    this.#changes = changes;
    const joined = (rows: string) =>
      database.prepare(`select count(*) as count, ${joinedColumns}, min(id) as oldest from (${rows})`);
    const inRange = "from message where epoch = ? and id between ? and ?";
    this.#rows = database.prepare(`select id, summary, checksum ${inRange} order by id desc limit ? + 0`);
    this.#newest = joined(`select summary, id, checksum ${inRange} order by id desc limit ? + 0 offset ?`);
    this.#newestAfter = joined(
      `select summary, id, checksum ${inRange} and sequence > ? order by id desc limit ? + 0 offset ?`,
    );
    const older = "from message where epoch = ? and id >= ? and id < ?";
    this.#has = database.prepare(`select 1 ${older} and sequence > ? order by id desc limit 1`);
    const matching = `from address a cross join message m on m.epoch = a.epoch and m.id = a.id
      where a.epoch = ? and a.role = ? and a.address = ?`;
    this.#byKey = joined(
      `select m.summary, m.id, m.checksum ${matching} and a.id between ? and ? and m.sequence > ?
       order by a.id desc limit ? + 0 offset ?`,
    );
    this.#hasByKey = database.prepare(
      `select 1 ${matching} and a.id >= ? and a.id < ? and m.sequence > ? order by a.id desc limit 1`,
    );
  }

  /** Implements `listMessages` of the store's contract. */
  list(server: ServerId, page: Page): SummaryPage {
    const selection = this.#select(server, page);
    if (selection === undefined) return this.#empty(server);
    const { position, range, afterSequence } = selection;
    const messageCount = page.direction === "Sent" ? position.sentCount : position.receivedCount;
    const offset = firstIndex(page);
    const isWhole = page.receivedAfter === null && page.before === undefined && afterSequence === 0;
    if (isWhole && offset >= messageCount) {
      return { json: noBytes, count: 0, hasMore: false, total: messageCount, cursor: position.sequence };
    }
    const bounds = [position.epoch, range.first, range.last] as const;
    // Comparing the sequence numbers of the rows before a page takes a quarter of the time of a deep one.
    const row =
      afterSequence === 0
        ? this.#newest.get(...bounds, page.itemsPerPage, offset)
        : this.#newestAfter.get(...bounds, afterSequence, page.itemsPerPage, offset);
    const { count, oldest, ...joined } = row as unknown as JoinedRow;
    const json = joinedSummaries(joined, this.#onDamage);
    const hasOlder = (): boolean => this.#has.get(position.epoch, range.first, oldest, afterSequence) !== undefined;
    const hasMore = isWhole ? offset + count < messageCount : count === page.itemsPerPage && hasOlder();
    const total = isWhole ? messageCount : totalOf(page, { count, hasMore });
    return { json, count, hasMore, total, cursor: position.sequence };
  }

  /** Returns the newest messages of a direction; undefined when the server does not exist. */
  newest(server: ServerId, direction: Direction): Newest | undefined {
    const position = this.#servers.position(server);
    if (position === undefined) return undefined;
    const { first, last } = idBytesSince(server, direction);
    const rows = this.#rows.all(position.epoch, first, last, newestCountMax) as unknown as ListedRow[];
    return {
      messages: rows.map((row) => ({ id: idFromBytes(row.id), json: intactSummary(row, this.#onDamage) })),
      messageCount: direction === "Sent" ? position.sentCount : position.receivedCount,
      cursor: position.sequence,
    };
  }

  /** Implements `searchMessages` of the store's contract for a single address or label. */
  search(server: ServerId, criterion: KeyCriterion, page: Page): SummaryPage {
    const selection = this.#select(server, page);
    if (selection === undefined) return this.#empty(server);
    const { position, range, afterSequence } = selection;
    const { role, key } = criterion;
    const wanted = [position.epoch, keyRoles[role], key, range.first] as const;
    const { count, oldest, ...joined } = this.#byKey.get(
      ...wanted,
      range.last,
      afterSequence,
      page.itemsPerPage,
      firstIndex(page),
    ) as unknown as JoinedRow;
    const json = joinedSummaries(joined, this.#onDamage);
    const hasOlder = (): boolean => this.#hasByKey.get(...wanted, oldest, afterSequence) !== undefined;
    const hasMore = count === page.itemsPerPage && hasOlder();
    const total = totalOf(page, { count, hasMore });
    return { json, count, hasMore, total, cursor: position.sequence };
  }

  /** Returns undefined when no message can be in the selection. */
  #select(server: ServerId, page: Page): Selection | undefined {
    const position = this.#servers.position(server);
    return position === undefined ? undefined : select(position, { server, page, changes: this.#changes });
  }

  #empty(server: ServerId): SummaryPage {
    return emptyPage(this.#servers.position(server)?.sequence ?? 0);
  }
}

/** Returns the messages that a page may hold; undefined when there can be none. */
export function select(
  position: ServerPosition,
  wanted: { readonly server: ServerId; readonly page: Page; readonly changes: ChangeReads },
): Selection | undefined {
  const { server, page, changes } = wanted;
  const afterSequence = page.afterSequence ?? 0;
  const range = idsWithin(server, page);
  if (range === undefined || afterSequence >= position.sequence) return undefined;
  // The journal knows the oldest id received later, so that older ones need not be read.
  if (afterSequence <= 0 || !changes.hasAllAfter(position.number, afterSequence))
    return { position, range, afterSequence };
  const oldest = changes.oldestAfter(position.number, afterSequence, range);
  return oldest === null ? undefined : { position, range: { first: oldest, last: range.last }, afterSequence };
}
