import type { DatabaseSync } from "node:sqlite";

/** Runs `body` with `secure_delete` on, so that SQLite overwrites the values that it replaces or deletes with zeros. */
export function overwriting<Result>(database: DatabaseSync, body: () => Result): Result {
  database.exec("pragma secure_delete = on");
  try {
    return body();
  } finally {
    database.exec("pragma secure_delete = off");
  }
}
