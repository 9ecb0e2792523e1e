/** A running service's note of where it can be reached, for the command line tool; it lies in the data folder. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where a running service can be reached from this machine, and with what. Nothing in it is secret. */
export interface ServiceAddress {
  /** Its process. */
  readonly pid: number;
  /** Base of its API, without a slash at its end; null when that listener is off. */
  readonly url: string | null;
  /** The same over TLS. */
  readonly httpsUrl: string | null;
  /** Where mail is taken; null when that listener is off. */
  readonly smtp: { readonly host: string; readonly port: number } | null;
  /** Id of the first server. */
  readonly server: string;
  /** Absolute path of the local CA's certificate; null when the certificate is the operator's own. */
  readonly caFile: string | null;
  /** Proves to it that whoever asks can read the data folder. */
  readonly operatorToken: string;
}

/** Writes the note. Throws the file system's error when the disk is full; no part of a note is left behind then. */
export function writeServiceFile(dataDir: string, address: ServiceAddress): void {
  const file = fileIn(dataDir);
  try {
    writeNote(file, address);
  } catch (error) {
    rmSync(`${file}.new`, { force: true });
    throw error;
  }
}

function writeNote(file: string, address: ServiceAddress): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(address, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Reads the note; undefined when there is none, or none that can be read. It may be left from a crash. */
export function readServiceFile(dataDir: string): ServiceAddress | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(fileIn(dataDir), "utf8"));
    return isAddress(note) ? note : undefined;
  } catch {
    // No service has written the file, or it is damaged: no service is known then.
    return undefined;
  }
}

function isAddress(note: unknown): note is ServiceAddress {
  const { pid, url, httpsUrl, smtp, server, caFile, operatorToken } = note as Partial<ServiceAddress>;
  const texts = [url, httpsUrl, caFile].every((text) => typeof text === "string" || text === null);
  const isDoor = smtp === null || (typeof smtp?.host === "string" && typeof smtp.port === "number");
  const isNamed = typeof server === "string" && typeof operatorToken === "string";
  return typeof pid === "number" && texts && isDoor && isNamed;
}

/** The note of a service whose process is still there; undefined when there is none. */
export function readRunningService(dataDir: string): ServiceAddress | undefined {
  const address = readServiceFile(dataDir);
  return address !== undefined && isAlive(address.pid) ? address : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Removes the note, if there is one. */
export function removeServiceFile(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true });
}

function fileIn(dataDir: string): string {
  return join(dataDir, "service.json");
}
