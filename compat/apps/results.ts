/** Results of the last run of each application, for docs/guide/applications.md. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Successful run of an application. */
export interface ApplicationResult {
  /** Name in `applications`. */
  readonly name: string;
  readonly version: string;
  /** Flows that were completed with what the service found in their mails: `sign-up by link, reset by code`. */
  readonly flows: string;
}

const file = join(import.meta.dirname, "results.json");

/** Returns the results, by name. */
export function readResults(): readonly ApplicationResult[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as ApplicationResult[]) : [];
}

/** Replaces the result of an application. */
export function recordResult(result: ApplicationResult): void {
  const others = readResults().filter(({ name }) => name !== result.name);
  const all = [...others, result].toSorted((one, other) => one.name.localeCompare(other.name, "en"));
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
}
