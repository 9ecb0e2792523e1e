/** Audit log as JSON lines in the data folder, and the file in which commands leave their entries for the service. */
import { appendFileSync, readFileSync, renameSync, rmSync } from "node:fs";
import { appendFile, rename, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { auditActions, type AuditedAction, type AuditEntry, createAuditIds } from "../../core/audit-entry.ts";
import { toWireAuditEntry, type WireAuditEntry } from "../../http/wire/account-schema.ts";

const fileName = "audit.jsonl";
/** Size in bytes at which a file is rotated. */
export const auditFileBytesMax: number = 10 * 1024 * 1024;
/** Number of rotated files; `audit.jsonl.1` is the newest. */
const rotatedCountMax = 4;

/** Entries of commands, which the running or next service moves into its log. */
const commandsName = "audit-commands.jsonl";
const takenName = "audit-commands.taken.jsonl";

/** Returns the function that appends entries to `audit.jsonl` and rotates it by size; calls must be serialised. */
export function createAuditFile(
  dataDir: string,
  bytesMax: number = auditFileBytesMax,
): (entries: readonly AuditEntry[]) => Promise<void> {
  const file = join(dataDir, fileName);
  let isTorn = false;
  return async (entries) => {
    const lines = linesOf(entries);
    const size = await sizeOf(file);
    if (size > 0 && size + Buffer.byteLength(lines) > bytesMax) await rotate(file);
    try {
      await appendFile(file, isTorn ? `\n${lines}` : lines, { mode: 0o600 });
      isTorn = false;
    } catch (error) {
      // A partial line may have been written; the next entry starts on a new line.
      isTorn = true;
      throw error;
    }
  };
}

/** Leaves the entry of a command for the service of a data folder. Throws the file system's error. */
export function leaveForService(dataDir: string, at: number, act: AuditedAction): void {
  appendFileSync(join(dataDir, commandsName), linesOf([commandEntry(at, act)]), { mode: 0o600 });
}

/** Returns the audit entry of a command. */
export function commandEntry(at: number, act: AuditedAction): AuditEntry {
  const id = createAuditIds(() => randomBytes(4).toString("hex"))(at);
  return { id, at, by: "command", key: null, name: systemUser(), clientAddress: null, ...act };
}

/** Entries that commands have left for the service. */
export interface LeftEntries {
  readonly entries: readonly AuditEntry[];
  /** Number of lines that could not be parsed. */
  readonly damagedCount: number;
  /** Removes the entries; to be called once they are recorded. */
  readonly forget: () => void;
}

/** Returns the entries that commands left in a data folder; undefined when there are none. Throws the file system's error. */
export function takeLeftEntries(dataDir: string): LeftEntries | undefined {
  const taken = join(dataDir, takenName);
  const left = readIfThere(taken) ?? takeFile(join(dataDir, commandsName), taken);
  if (left === undefined) return undefined;
  const lines = left.split("\n").filter((line) => line !== "");
  const entries = lines.flatMap(parseEntry);
  return {
    entries,
    damagedCount: lines.length - entries.length,
    forget: () => rmSync(taken, { force: true }),
  };
}

function takeFile(file: string, taken: string): string | undefined {
  try {
    renameSync(file, taken);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
  return readIfThere(taken);
}

function parseEntry(line: string): readonly AuditEntry[] {
  try {
    const { at, ...entry } = JSON.parse(line) as WireAuditEntry;
    const instant = Date.parse(at);
    const isWhole = typeof entry.id === "string" && auditActions.includes(entry.action) && !Number.isNaN(instant);
    return isWhole ? [{ ...entry, at: instant }] : [];
  } catch {
    // A command was killed while writing the line; the caller counts it as damaged.
    return [];
  }
}

function linesOf(entries: readonly AuditEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(toWireAuditEntry(entry))}\n`).join("");
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isAbsence(error)) return 0;
    throw error;
  }
}

async function rotate(file: string): Promise<void> {
  for (let number = rotatedCountMax; number > 0; number -= 1) {
    const former = number === 1 ? file : `${file}.${String(number - 1)}`;
    try {
      await rename(former, `${file}.${String(number)}`);
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function systemUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    // In containers, users may have no name.
    return process.getuid === undefined ? null : `uid ${String(process.getuid())}`;
  }
}
