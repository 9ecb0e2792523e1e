/**
 * Number of commits with mails, in the database and in a file beside it, which is written after each of these commits. A
 * database with fewer commits than the file knows has lost acknowledged mail: with its write-ahead log, or as an older copy.
 */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { readNumber } from "./connection.ts";
import { isDiskFull } from "./errors.ts";
import { ensurePrivateFile } from "./store-directory.ts";

/** Name of the file in the data directory. */
export const commitCountFileName = "restante.commits";
const digitCount = 16;
const readCount = "select commit_count from state";

/** Counts the commits of a writer. The file is not synced: after a power failure it may know fewer commits than were made. */
export class CommitCount {
  /** Null when the disk was full: then the file keeps an older count. */
  readonly #descriptor: number | null;
  readonly #increase: StatementSync;
  readonly #digits = Buffer.alloc(digitCount);
  #count: number;
  #saved = 0;

  /** Opens the file beside the database, and creates it where there is none. */
  constructor(database: DatabaseSync, file: string) {
    this.#increase = database.prepare("update state set commit_count = commit_count + 1");
    this.#count = readNumber(database, readCount);
    this.#descriptor = this.#open(fileBeside(file));
  }

  #open(file: string): number | null {
    try {
      ensurePrivateFile(file);
      const descriptor = openSync(file, "r+");
      // Allocates the space of all later writes.
      this.#write(descriptor);
      return descriptor;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      return null;
    }
  }

  /** Counts a commit within its transaction. */
  increase(): void {
    this.#increase.run();
  }

  /** Confirms that this transaction was committed. */
  confirm(): void {
    this.#count += 1;
  }

  /** Writes the count of confirmed commits to the file. Throws errors of the file system. */
  save(): void {
    if (this.#descriptor !== null && this.#saved !== this.#count) this.#write(this.#descriptor);
  }

  #write(descriptor: number): void {
    this.#saved = this.#count;
    this.#digits.write(String(this.#count).padStart(digitCount, "0"), "latin1");
    writeSync(descriptor, this.#digits, 0, digitCount, 0);
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
  }
}

/** Throws a plain `Error` for the operator when the database has fewer commits than the file beside it knows. */
export function requireAllCommits(database: DatabaseSync, file: string): void {
  const known = readKnown(fileBeside(file));
  const found = readNumber(database, readCount);
  if (known <= found) return;
  throw new Error(
    `The database ${file} lacks ${known - found} of the ${known} commits that were acknowledged: its write-ahead log ${file}-wal is missing or was cut, or the database was replaced by an older copy. Put the log back, restore a backup, or remove ${fileBeside(file)} to start without what is missing`,
  );
}

function fileBeside(database: string): string {
  return path.join(path.dirname(database), commitCountFileName);
}

/** Returns the count in a file; 0 when it is missing or unreadable as a number. */
function readKnown(file: string): number {
  try {
    const text = readFileSync(file, "latin1");
    return /^\d{16}$/.test(text) ? Number(text) : 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return 0;
  }
}
