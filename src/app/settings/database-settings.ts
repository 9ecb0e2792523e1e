/** Settings of the store. */
import * as forms from "./forms.ts";
import type { Setting } from "./setting.ts";

/** Values of the settings of the store. */
export interface DatabaseChoices {
  /** `postgres://…`; null: SQLite in the data folder, for one process. */
  readonly databaseUrl: string | null;
  /** URL of the same database for notifications between nodes; null: `databaseUrl`. */
  readonly databaseListenUrl: string | null;
  /** Size of a node's connection pool, not counting the connection for notifications. */
  readonly databaseConnections: number;
  readonly databaseStatementMs: number;
  readonly databaseLockMs: number;
  /** Whether the bodies of large servers are indexed in PostgreSQL. */
  readonly searchIndex: "auto" | "off";
  /** `s3://…`; null: large content is stored in the database. */
  readonly blobUrl: string | null;
}

const open = { secret: false } as const;

/** Setting of each choice, in the order of the reference page. */
export const databaseSettings: { readonly [Name in keyof DatabaseChoices]: Setting<DatabaseChoices[Name]> } = {
  databaseUrl: {
    env: "RESTANTE_DATABASE_URL",
    form: forms.databaseUrl,
    fallback: null,
    fallbackText: "none: SQLite in the data folder",
    meaning:
      "PostgreSQL database of one or more nodes. Several hosts, `sslmode`, `sslrootcert` and `target_session_attrs` work as in libpq. Prefer the variable to the flag, because it contains a password.",
    secret: true,
  },
  databaseListenUrl: {
    env: "RESTANTE_DATABASE_LISTEN_URL",
    form: forms.databaseUrl,
    fallback: null,
    fallbackText: "`RESTANTE_DATABASE_URL`",
    meaning:
      "URL of the same database that bypasses PgBouncer, for the connection on which a node receives notifications of new mail. Through a pooler in transaction mode, waiting searches notice mail of other nodes up to a second late.",
    secret: true,
  },
  databaseConnections: {
    ...open,
    env: "RESTANTE_DATABASE_CONNECTIONS",
    form: forms.integer(2, 200),
    fallback: 16,
    fallbackText: "`16`",
    meaning: "Size of a node's connection pool, not counting the connection for notifications between nodes.",
  },
  databaseStatementMs: {
    ...open,
    env: "RESTANTE_DATABASE_STATEMENT_MS",
    form: forms.integer(1000, 3_600_000),
    fallback: 30_000,
    fallbackText: "`30000`",
    meaning: "Statement time-out in milliseconds; the caller gets a temporary error.",
  },
  databaseLockMs: {
    ...open,
    env: "RESTANTE_DATABASE_LOCK_MS",
    form: forms.integer(100, 3_600_000),
    fallback: 10_000,
    fallbackText: "`10000`",
    meaning: "Lock time-out of a transaction in milliseconds.",
  },
  searchIndex: {
    ...open,
    env: "RESTANTE_SEARCH_INDEX",
    form: forms.oneOf(["auto", "off"]),
    fallback: "auto",
    fallbackText: "`auto`",
    meaning:
      "Whether subjects and bodies of servers with 1000 messages or more are indexed in the PostgreSQL of `RESTANTE_DATABASE_URL`. Search results do not depend on it. SQLite always has its index.",
  },
  blobUrl: {
    env: "RESTANTE_BLOB_URL",
    form: forms.blobUrl,
    fallback: null,
    fallbackText: "none: the database",
    meaning:
      "Bucket of an S3 store, `s3://key:secret@host/bucket`, for contents of more than 256 KB (compressed), which are otherwise stored in the PostgreSQL of `RESTANTE_DATABASE_URL`.",
    secret: true,
  },
};
