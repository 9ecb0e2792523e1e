/** Differences between the databases in the tables that both have. */
export interface SchemaDialect {
  /** Type of texts that statements compare and sort: by code points. */
  readonly key: string;
  readonly bytes: string;
  /** Type of instants, in milliseconds since the Unix epoch. */
  readonly instant: string;
  readonly bigint: string;
  /** Type of ids of messages outside of the tables of messages. */
  readonly uuid: string;
  /** Column by which tables of changes name a server, and its definition. */
  readonly serverColumn: string;
  readonly serverNumber: string;
  /** Columns that identify a message in the tables of messages, and their definitions. */
  readonly epochColumns: string;
  readonly slotColumn: string;
  readonly message: string;
  /** Options of a table, and of one whose rows are stored in the order of their key. */
  readonly table: string;
  readonly clustered: string;
  /** Returns text for one of the databases; the other gets none. */
  readonly sqlite: (sql: string) => string;
  readonly postgres: (sql: string) => string;
}

/** Tables as statements of one database. */
export type Tables = (dialect: SchemaDialect) => string;

/** Columns of leased work; see `LeasedTable`. */
export const leaseColumns: Tables = ({ key, instant }) => `due_at ${instant},
  claimed_due_at ${instant},
  lease ${key},
  open_claims integer not null default 0,
  quarantined_at ${instant}`;

const nothing = (): string => "";
const unchanged = (sql: string): string => sql;

/** Types of SQLite, whose keys of texts are compared by code points by default. */
export const sqliteSchema: SchemaDialect = {
  key: "text",
  bytes: "blob",
  instant: "real",
  bigint: "integer",
  uuid: "text",
  serverColumn: "server",
  serverNumber: "server integer",
  epochColumns: "epoch",
  slotColumn: "id",
  message: "epoch integer not null, id blob not null",
  table: "strict",
  clustered: "strict, without rowid",
  sqlite: unchanged,
  postgres: nothing,
};

/** Types of PostgreSQL. Every key of a table of messages begins with the server, by which the tables can be distributed. */
export const postgresSchema: SchemaDialect = {
  key: 'text collate "C"',
  bytes: "bytea",
  instant: "double precision",
  bigint: "bigint",
  uuid: "uuid",
  serverColumn: "server_id",
  serverNumber: "server_id bigint",
  epochColumns: "server_id, epoch",
  slotColumn: "slot",
  message: "server_id bigint not null, epoch bigint not null, slot uuid not null",
  table: "",
  clustered: "",
  sqlite: nothing,
  postgres: unchanged,
};
