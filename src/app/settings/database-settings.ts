/** The part of the table of settings that concerns a store that several nodes share. */
import * as forms from "./forms.ts";
import type { Setting } from "./setting.ts";

/** What an operator can choose about the store. */
export interface DatabaseChoices {
  /** `postgres://…`; null: SQLite in the data folder, for one process. */
  readonly databaseUrl: string | null;
  /** The same database for the words between nodes; null: `databaseUrl`. */
  readonly databaseListenUrl: string | null;
  /** Connections of one node at the same time, beside the one for words. */
  readonly databaseConnections: number;
  readonly databaseStatementMs: number;
  readonly databaseLockMs: number;
  /** Whether bodies of large servers are indexed in PostgreSQL. */
  readonly searchIndex: "auto" | "off";
  /** `s3://…`; null: large content lies in the database. */
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
      "PostgreSQL that keeps everything, for any number of nodes: several hosts, `sslmode`, `sslrootcert` and `target_session_attrs` as libpq reads them. Prefer the variable to the flag: it holds a password.",
    secret: true,
  },
  databaseListenUrl: {
    env: "RESTANTE_DATABASE_LISTEN_URL",
    form: forms.databaseUrl,
    fallback: null,
    fallbackText: "`RESTANTE_DATABASE_URL`",
    meaning:
      "The same database without PgBouncer in between, for the one connection of a node on which others tell it of new mail; through a pooler of transactions, waiting searches hear of it up to a second late.",
    secret: true,
  },
  databaseConnections: {
    ...open,
    env: "RESTANTE_DATABASE_CONNECTIONS",
    form: forms.integer(2, 200),
    fallback: 16,
    fallbackText: "`16`",
    meaning: "Connections of one node to the database at the same time, beside the one for words between nodes.",
  },
  databaseStatementMs: {
    ...open,
    env: "RESTANTE_DATABASE_STATEMENT_MS",
    form: forms.integer(1000, 3_600_000),
    fallback: 30_000,
    fallbackText: "`30000`",
    meaning: "Milliseconds after which a statement is cancelled and its caller told to try again.",
  },
  databaseLockMs: {
    ...open,
    env: "RESTANTE_DATABASE_LOCK_MS",
    form: forms.integer(100, 3_600_000),
    fallback: 10_000,
    fallbackText: "`10000`",
    meaning: "Longest wait of a transaction for a lock, in milliseconds.",
  },
  searchIndex: {
    ...open,
    env: "RESTANTE_SEARCH_INDEX",
    form: forms.oneOf(["auto", "off"]),
    fallback: "auto",
    fallbackText: "`auto`",
    meaning:
      "Whether bodies are indexed in the PostgreSQL of `RESTANTE_DATABASE_URL`, for servers of more than 3000 messages, where its extensions `pg_trgm` and `btree_gin` can be had. Searches find the same without. SQLite needs no setting.",
  },
  blobUrl: {
    env: "RESTANTE_BLOB_URL",
    form: forms.blobUrl,
    fallback: null,
    fallbackText: "none: they lie in the database",
    meaning:
      "Bucket of an S3 store, `s3://key:secret@host/bucket`, that keeps contents of more than 256 KB (compressed) instead of the PostgreSQL of `RESTANTE_DATABASE_URL`.",
    secret: true,
  },
};
