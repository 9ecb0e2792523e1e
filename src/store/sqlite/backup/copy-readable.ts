/** Copies the rows of a database that can be read around its damaged pages. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { isCorruption } from "../connection/errors.ts";

/** Rows that one statement reads. */
const rowCountPerRead = 64;
/** Largest number of a row. */
const rowNumberMax = 2 ** 53;

type Row = readonly SQLInputValue[];

/** Rows of a table that were copied, and the places where rows could not be read. */
export interface CopiedTable {
  readonly table: string;
  readonly rowCount: number;
  /** Damaged places: each has lost at least one row, or none when it was empty. */
  readonly gapCount: number;
}

interface TableLayout {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns of the order in which the rows are stored; null for the number that SQLite gives rows. */
  readonly key: readonly string[] | null;
}

/** Copies all readable rows of `table` from one database to a table of the same columns in another, which is empty. */
export function copyTable(from: DatabaseSync, to: DatabaseSync, table: string): CopiedTable {
  const layout = layoutOf(to, table);
  const insert = to.prepare(
    `insert or ignore into ${table} (${layout.columns.join(", ")}) values (${layout.columns.map(() => "?").join(", ")})`,
  );
  const copy = { layout, from, insert, rowCount: 0, gapCount: 0 };
  if (layout.key === null) copyByNumber(copy);
  else copyByKey(copy, layout.key);
  return { table, rowCount: copy.rowCount, gapCount: copy.gapCount };
}

interface Copy {
  readonly layout: TableLayout;
  readonly from: DatabaseSync;
  readonly insert: StatementSync;
  rowCount: number;
  gapCount: number;
}

/** Copies single rows by their keys, which are known from elsewhere; those that exist already are skipped. Returns their number. */
export function copyRows(
  { from, to, table }: { readonly from: DatabaseSync; readonly to: DatabaseSync; readonly table: string },
  keys: Iterable<Row>,
): number {
  const { columns, key } = layoutOf(to, table);
  const where = (key ?? ["rowid"]).map((column) => `${column} = ?`).join(" and ");
  const read = arrays(from.prepare(`select ${columns.join(", ")} from ${table} where ${where}`));
  const insert = to.prepare(
    `insert or ignore into ${table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`,
  );
  let count = 0;
  for (const one of keys) {
    const rows = attempt(() => read.all(...one) as unknown as readonly Row[]);
    for (const row of rows ?? []) count += Number(insert.run(...row).changes);
  }
  return count;
}

function layoutOf(database: DatabaseSync, name: string): TableLayout {
  const columns = database.prepare(`select name, pk from pragma_table_info('${name}') order by cid`).all();
  const key = columns
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((a, b) => Number(a["pk"]) - Number(b["pk"]))
    .map((column) => String(column["name"]));
  const [table] = database.prepare(`select wr from pragma_table_list('${name}') where schema = 'main'`).all();
  return { name, columns: columns.map((column) => String(column["name"])), key: table?.["wr"] === 1 ? key : null };
}

/** Copies a table whose rows have numbers: behind a damaged page, the next number that can be read is searched. */
function copyByNumber(copy: Copy): void {
  const { from, layout } = copy;
  const columns = ["rowid", ...layout.columns].join(", ");
  const after = arrays(
    from.prepare(`select ${columns} from ${layout.name} where rowid > ? order by rowid limit ? + 0`),
  );
  const next = from.prepare(`select rowid as number from ${layout.name} where rowid >= ? order by rowid limit 1 + 0`);
  let last = Number.MIN_SAFE_INTEGER;
  for (;;) {
    const rows = readAfter(after, [last]);
    if (rows === undefined) {
      copy.gapCount += 1;
      const resumed = firstReadable(next, Math.max(last + 1, 0));
      if (resumed === undefined) return;
      last = resumed - 1;
      continue;
    }
    if (rows.length === 0) return;
    for (const [number, ...row] of rows) {
      insertRow(copy, row);
      last = Number(number);
    }
  }
}

/** Returns the least number from which rows can be read, with steps that double and are halved; undefined when there is none. */
function firstReadable(next: StatementSync, from: number): number | undefined {
  const canRead = (number: number): boolean => attempt(() => next.get(number) ?? null) !== undefined;
  let step = 1;
  while (from + step < rowNumberMax && !canRead(from + step)) step *= 2;
  if (from + step >= rowNumberMax) return undefined;
  let [unreadable, readable] = [from + Math.floor(step / 2), from + step];
  while (readable - unreadable > 1) {
    const middle = unreadable + Math.floor((readable - unreadable) / 2);
    if (canRead(middle)) readable = middle;
    else unreadable = middle;
  }
  return readable;
}

/** Copies a table that is stored in the order of its key: from its start, and from its end back to the first damaged page. */
function copyByKey(copy: Copy, key: readonly string[]): void {
  const { from, layout } = copy;
  const columns = [...key, ...layout.columns].join(", ");
  const placeholders = key.map(() => "?").join(", ");
  let isDamaged = false;
  for (const [comparison, order] of [
    [">", "asc"],
    ["<", "desc"],
  ] as const) {
    const sorted = `order by ${key.map((column) => `${column} ${order}`).join(", ")} limit ? + 0`;
    const first = arrays(from.prepare(`select ${columns} from ${layout.name} ${sorted}`));
    const after = arrays(
      from.prepare(
        `select ${columns} from ${layout.name} where (${key.join(", ")}) ${comparison} (${placeholders}) ${sorted}`,
      ),
    );
    let rows = readAfter(first, []);
    while (rows !== undefined && rows.length > 0) {
      for (const row of rows) insertRow(copy, row.slice(key.length));
      rows = readAfter(after, rows.at(-1)?.slice(0, key.length) ?? []);
    }
    if (rows !== undefined) return;
    isDamaged = true;
  }
  if (isDamaged) copy.gapCount += 1;
}

function insertRow(copy: Copy, row: Row): void {
  copy.rowCount += Number(copy.insert.run(...row).changes);
}

/** Returns the next rows, fewer in front of a damaged page, and undefined behind the last row before it. */
function readAfter(statement: StatementSync, after: Row): readonly Row[] | undefined {
  for (let limit = rowCountPerRead; limit >= 1; limit = Math.floor(limit / 8)) {
    const rows = attempt(() => statement.all(...after, limit) as unknown as readonly Row[]);
    if (rows !== undefined) return rows;
  }
  return undefined;
}

function arrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true);
  return statement;
}

/** Returns the result of a read; undefined when it met a damaged page. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!isCorruption(error)) throw error;
    return undefined;
  }
}
