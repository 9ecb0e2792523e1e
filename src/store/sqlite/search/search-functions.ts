import type { DatabaseSync } from "node:sqlite";
import { searchParts, type SearchPart, partOf } from "../../../core/search/search-fields.ts";

/** Defines the SQL functions of searches by expressions on a connection. */
export function defineSearchFunctions(database: DatabaseSync): void {
  database.function("part_of", { deterministic: true }, (fields, index) =>
    partOf(String(fields), searchParts[Number(index)] ?? "from"),
  );
}

/** Returns the number of a part for `part_of`. */
export function partNumber(part: SearchPart): number {
  return searchParts.indexOf(part);
}
