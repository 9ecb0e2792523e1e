import type { ServerId } from "../../core/ids.ts";
import type { QueueDialect } from "../queues/dialect.ts";
import type { Query } from "../queues/query.ts";

/** Differences between the databases in the statements about records. */
export interface RecordDialect extends Pick<QueueDialect, "isAmong" | "list" | "toText" | "fromText"> {
  /** Suffix of a query whose row stays until the commit. */
  readonly forUpdate: string;
  /** Column of records that names their server. */
  readonly serverColumn: string;
  /** Column of the table of servers that it names. */
  readonly serverKey: string;
  /** Value of a parameter that is compared with the column of servers in a list of values. */
  readonly serverParameter: (parameter: string) => string;
  /** Encodes a server for its column, and decodes it. */
  readonly toServer: (server: ServerId) => string | number;
  readonly fromServer: (column: string | number) => ServerId;
  /** Executes a query such that values which it replaces are overwritten on the disk, where the database can do that. */
  readonly overwriting: <Result>(query: Query<Result>) => Query<Result>;
  /** Value of the column for records of the account, where it is part of a key. */
  readonly account: string | number;
}
