/** Settings of the store. */
import * as forms from "./forms.ts";
import { optional, setting } from "./setting.ts";

/** Settings of the store, in the order of the reference page. */
export const databaseSettings = {
  databaseUrl: optional(forms.databaseUrl, "none: SQLite in the data folder", "secret").means(
    "PostgreSQL database of one or more nodes. Several hosts, `sslmode`, `sslrootcert` and `target_session_attrs` work as in libpq. Prefer the variable to the flag, because it contains a password.",
  ),
  databaseListenUrl: optional(forms.databaseUrl, "`RESTANTE_DATABASE_URL`", "secret").means(
    "URL of the same database that bypasses PgBouncer, for the connection on which a node receives notifications of new mail. Through a pooler in transaction mode, waiting searches notice mail of other nodes up to a second late.",
  ),
  databaseConnections: setting(forms.integer(2, 200), 16).means(
    "Size of a node's connection pool, not counting the connection for notifications between nodes.",
  ),
  databaseStatementMs: setting(forms.integer(1000, 3_600_000), 30_000).means(
    "Statement time-out in milliseconds; the caller gets a temporary error.",
  ),
  databaseLockMs: setting(forms.integer(100, 3_600_000), 10_000).means(
    "Lock time-out of a transaction in milliseconds.",
  ),
  searchIndex: setting(forms.oneOf(["auto", "off"]), "auto").means(
    "Whether subjects and bodies of servers with 1000 messages or more are indexed in the PostgreSQL of `RESTANTE_DATABASE_URL`. Search results do not depend on it. SQLite always has its index.",
  ),
  blobUrl: optional(forms.blobUrl, "none: the database", "secret").means(
    "Bucket of an S3 store, `s3://key:secret@host/bucket`, for contents of more than 256 KB (compressed), which are otherwise stored in the PostgreSQL of `RESTANTE_DATABASE_URL`.",
  ),
};
