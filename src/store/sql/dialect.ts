import type { MessageId, ServerId } from "../../core/ids.ts";
import type { Query } from "./query.ts";

/** Types of the columns of rows that statements are given, by their names; null is a value of each. */
export type ColumnTypes = Readonly<Record<string, "text" | "uuid" | "integer" | "bigint" | "number" | "bytes">>;

/** Executes a statement for rows of values, and returns its rows; no rows: no statement. */
export type ForEachRow<Row = unknown> = (rows: readonly (readonly unknown[])[]) => Query<readonly Row[]>;

/** Rows that a statement is given. */
export interface GivenRows {
  /** Returns the value of a column. */
  readonly of: (column: string) => string;
  /** The clause with the table of the rows, if there is one. */
  readonly from: string;
}

/** Differences between the databases in statements that both execute. */
export interface SqlDialect {
  readonly name: "sqlite" | "postgres";
  /** Suffix of a subquery whose rows are changed; rows that another transaction has locked are skipped. */
  readonly skipLocked: string;
  /** Suffix of a query whose row stays until the commit. */
  readonly forUpdate: string;
  /** Suffix of a query whose rows may be changed, but not deleted, by others until the commit. */
  readonly forKeyShare: string;
  /** Returns the function that executes a statement for rows: for all of them together, or for one after the other. */
  readonly forEachRow: <Row = unknown>(columns: ColumnTypes, sql: (given: GivenRows) => string) => ForEachRow<Row>;
  /** Returns the statement that inserts the rows of a query into a table with columns, without those whose keys exist. */
  readonly insertNew: (into: string, query: string) => string;
  /** Returns the numbers in the order of storage of new rows that are created at instants; null where the table counts them. */
  readonly numbersOf: (instants: readonly number[]) => readonly (number | null)[];
  /** Returns the condition that a column of a type is among the values of a list parameter, `$1`. */
  readonly isAmong: (column: string, parameter: string, type: "text" | "uuid" | "server" | "slot") => string;
  /** Returns the condition that a pair of columns is among the pairs of two list parameters, `$1` and `$2`. */
  readonly isPair: (columns: readonly [string, string], types: readonly ["text" | "uuid", "text"]) => string;
  /** Returns the value of a list parameter. */
  readonly list: (values: readonly (string | number | null)[]) => unknown;
  /** Returns the expression of a member of a list of numbers, at an index counted from 0, or of the last one. */
  readonly memberAt: (parameter: string, index: string) => string;
  /** Column by which servers are found, and its value; other tables than those of messages, changes and usage have their ids. */
  readonly serverKey: string;
  readonly toServer: (server: ServerId) => string | number;
  /** Column of the table of servers that tables of messages and changes name. */
  readonly serverNumber: string;
  /** Column of the changes and the usage that names their server. */
  readonly serverColumn: string;
  /** Returns the server of a row of the usage; null for usage that only a team has, with `noServer` in that column. */
  readonly fromServer: (column: string | number) => ServerId | null;
  readonly noServer: string | number;
  /** Columns of tables about messages that identify the messages of a server, and their values: parameters `$1` and `$2`. */
  readonly epochColumns: string;
  readonly epochValues: string;
  /** Returns the condition that rows belong to an epoch of the server `$1`. */
  readonly ofEpoch: (alias: string, epoch: string) => string;
  /** Column that identifies a message in its epoch, and the id, of equal order, that it has for a message. */
  readonly slotColumn: string;
  readonly slotOf: (id: MessageId) => MessageId;
  /** Returns the value of the column, or of an id of a message, for its text; and decodes it. */
  readonly slotIn: (text: string) => string;
  readonly fromSlot: (column: string | Uint8Array) => MessageId;
  /** Returns a table of arrays, in their column `value`, of a parameter in JSON. */
  readonly rowsIn: (parameter: string, alias: string) => string;
  /** Returns a table of texts, in the order of code points in their column `value`, of a column that has them as a JSON array. */
  readonly elementsOf: (column: string, alias: string) => string;
  /** Returns the condition that a text contains another. */
  readonly contains: (text: string, part: string) => string;
  /** Executes a query such that values which it replaces are overwritten on the disk, where the database can do that. */
  readonly overwriting: <Result>(query: Query<Result>) => Query<Result>;
}

/** Statements in the dialect of a database. */
export abstract class DialectRows {
  protected readonly dialect: SqlDialect;

  constructor(dialect: SqlDialect) {
    this.dialect = dialect;
  }
}
