import type { Clock } from "../../core/clock.ts";
import type { ServerQuota } from "../../core/server.ts";
import type { Database, OpenGate } from "./connection/database.ts";
import type { ExternalContent } from "./content/external-content.ts";
import type { Maintenance } from "./maintenance/maintenance.ts";
import type { StorageWatch } from "./maintenance/storage-watch.ts";
import type { Changes } from "./messages/changes.ts";
import type { TextSearchOptions } from "./search/text-search.ts";
import type { TextIndex } from "./text-index/text-index.ts";

/** Components of a store. */
export interface StoreParts {
  readonly clock: Clock;
  /** Quota of servers without one of their own. */
  readonly quota: ServerQuota;
  /** True when Citus distributes the tables, so that each statement and transaction should concern one server. */
  readonly isDistributed: boolean;
  readonly storage: StorageWatch;
  /** Accepted calls and maintenance use it, also after closing began, until they have ended. */
  readonly database: Database;
  readonly gate: OpenGate;
  /** The database; every call of it passes the gate. */
  readonly gatedDatabase: Database;
  readonly changes: Changes;
  /** External storage of large content; null when the database stores it. */
  readonly outside: ExternalContent | null;
  readonly textIndex: TextIndex | null;
  readonly search: Omit<TextSearchOptions, "lists">;
  readonly maintenance: Maintenance;
}
