/** A running service's note of where it can be reached, for the command line tool; it lies in the data folder. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where a running service can be reached from this machine. */
export interface ServiceAddress {
  /** Its process. */
  readonly pid: number;
  /** Base of its API, without a slash at its end; null when that listener is off. */
  readonly url: string | null;
  /** Proves to it that whoever asks can read the data folder. */
  readonly operatorToken: string;
}

/** Writes the note. */
export function writeServiceFile(dataDir: string, address: ServiceAddress): void {
  const file = fileIn(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(address, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Reads the note; undefined when there is none, or none that can be read. It may be left from a crash. */
export function readServiceFile(dataDir: string): ServiceAddress | undefined {
  try {
    const note = JSON.parse(readFileSync(fileIn(dataDir), "utf8")) as Partial<ServiceAddress>;
    const { pid, url, operatorToken = "" } = note;
    const isWhole = typeof pid === "number" && (typeof url === "string" || url === null);
    return isWhole ? { pid, url, operatorToken } : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the note, if there is one. */
export function removeServiceFile(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true });
}

function fileIn(dataDir: string): string {
  return join(dataDir, "service.json");
}
