/** `service.json` in the data folder: the addresses of the running service, for the command line tool. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Addresses of a running service on this machine, and its operator token. */
export interface ServiceAddress {
  /** Process id of the service. */
  readonly pid: number;
  /** Base URL of the API over HTTP, without trailing slash; null when that listener is off. */
  readonly url: string | null;
  /** Base URL of the API over HTTPS, without trailing slash; null when that listener is off. */
  readonly httpsUrl: string | null;
  /** Address of the SMTP listener; null when it is off. */
  readonly smtp: { readonly host: string; readonly port: number } | null;
  /** Id of the first server. */
  readonly server: string;
  /** Absolute path of the local CA's certificate; null when the operator configured a certificate. */
  readonly caFile: string | null;
  /** Token that proves to the service that a caller can read the data folder. */
  readonly operatorToken: string;
  /** Mail domain of the service. */
  readonly mailDomain: string;
  /** Providers whose host names lead to the service. */
  readonly intercepted: readonly string[];
}

/** Writes the file atomically. Throws the file system's error; no partial file is left behind. */
export function writeServiceFile(dataDir: string, address: ServiceAddress): void {
  const file = fileIn(dataDir);
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(address, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    rmSync(`${file}.new`, { force: true });
    throw error;
  }
}

/** Reads the file; returns undefined when it is missing or invalid. It may be left over from a crash. */
export function readServiceFile(dataDir: string): ServiceAddress | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(fileIn(dataDir), "utf8"));
    return isAddress(note) ? note : undefined;
  } catch {
    // Missing or damaged: no service is known.
    return undefined;
  }
}

function isAddress(note: unknown): note is ServiceAddress {
  const { pid, url, httpsUrl, smtp, server, caFile, operatorToken, mailDomain, intercepted } =
    note as Partial<ServiceAddress>;
  const hasAddresses = [url, httpsUrl, caFile].every((one) => typeof one === "string" || one === null);
  const hasSmtp = smtp === null || (typeof smtp?.host === "string" && typeof smtp.port === "number");
  const hasTexts = [server, operatorToken, mailDomain].every((one) => typeof one === "string");
  return typeof pid === "number" && hasAddresses && hasSmtp && hasTexts && Array.isArray(intercepted);
}

/** Returns the addresses of the service if its process is running; undefined otherwise. */
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

/** Removes the file, unless another process wrote it: the folder of another service may have replaced this one. */
export function removeServiceFile(dataDir: string): void {
  const { pid = process.pid } = readServiceFile(dataDir) ?? {};
  if (pid !== process.pid) return;
  rmSync(fileIn(dataDir), { force: true });
}

function fileIn(dataDir: string): string {
  return join(dataDir, "service.json");
}
