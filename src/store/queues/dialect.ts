import type { Query } from "./query.ts";
import type { LeasedTable } from "./leased-tables.ts";
import type { WorkClaim } from "../leased-queue.ts";
import type { DueWork } from "../../core/quarantine.ts";

/** Due work, before it is claimed. */
export interface DueRow extends DueWork {
  readonly id: string;
}

/** Differences between the databases in the statements about queues. */
export interface QueueDialect {
  readonly name: "sqlite" | "postgres";
  /** Suffix of a subquery whose rows are changed; rows that another transaction has locked are skipped. */
  readonly skipLocked: string;
  /** Returns the condition that a column of a type is among the values of a list parameter, `$1`. */
  readonly isAmong: (column: string, parameter: string, type: "text" | "uuid") => string;
  /** Returns the condition that a pair of columns is among the pairs of two list parameters, `$1` and `$2`. */
  readonly isPair: (columns: readonly [string, string], types: readonly ["text" | "uuid", "text"]) => string;
  /** Returns the value of a list parameter. */
  readonly list: (values: readonly (string | number | null)[]) => unknown;
  /** Returns the expression of a member of a list of numbers, at an index counted from 0, or of the last one. */
  readonly memberAt: (parameter: string, index: string) => string;
  /** Encodes text for a column, and decodes it. */
  readonly toText: (text: string) => string;
  readonly fromText: (column: string) => string;
  /** Returns due work of the keys of a claim that may be taken, in their order, and locks it. */
  readonly due: (table: LeasedTable, claim: WorkClaim) => Query<readonly DueRow[]>;
}
