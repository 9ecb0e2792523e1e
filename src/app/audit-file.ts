/** The audit log as JSON lines in the data folder, and the entries that commands leave there for the service. */
import { appendFileSync, readFileSync, renameSync, rmSync } from "node:fs";
import { appendFile, rename, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { auditActions, createAuditIds, type AuditEntry, type AuditedAct } from "../core/audit-entry.ts";
import { toWireAuditEntry, type WireAuditEntry } from "../http/wire/audit-schema.ts";

const fileName = "audit.jsonl";
/** Size past which a file is set aside, in bytes. */
export const auditFileBytesMax: number = 10 * 1024 * 1024;
/** Files that are set aside: `audit.jsonl.1` is the newest. */
const rotatedCountMax = 4;

/** Entries of commands, which the running service or the next one moves into its log. */
const commandsName = "audit-commands.jsonl";
const takenName = "audit-commands.taken.jsonl";

/** Returns what appends entries to `audit.jsonl`, and rotates it by size; one call at a time. */
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
      // A part of a line may have been written; the next one starts anew.
      isTorn = true;
      throw error;
    }
  };
}

/** Leaves an act of a command for the service of a data folder. Throws the file system's error. */
export function leaveForService(dataDir: string, at: number, act: AuditedAct): void {
  appendFileSync(join(dataDir, commandsName), linesOf([commandEntry(at, act)]), { mode: 0o600 });
}

/** Returns the entry of an act of a command. */
export function commandEntry(at: number, act: AuditedAct): AuditEntry {
  const id = createAuditIds(() => randomBytes(4).toString("hex"))(at);
  return { id, at, by: "command", key: null, name: systemUser(), clientAddress: null, ...act };
}

/** Entries that commands have left. */
export interface LeftEntries {
  readonly entries: readonly AuditEntry[];
  /** Lines that are no entries. */
  readonly damagedCount: number;
  /** Removes them; to be called when they are recorded. */
  readonly forget: () => void;
}

/** Returns what commands have left in a data folder; undefined when there is nothing. Throws the file system's error. */
export function takeLeftEntries(dataDir: string): LeftEntries | undefined {
  const taken = join(dataDir, takenName);
  const left = readIfThere(taken) ?? takeFile(join(dataDir, commandsName), taken);
  if (left === undefined) return undefined;
  const lines = left.split("\n").filter((line) => line !== "");
  const entries = lines.flatMap(parseEntry);
  return {
    entries,
    damagedCount: lines.length - entries.length,
    forget: () => {
      rmSync(taken, { force: true });
    },
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
    // A command ended while it wrote the line; the caller counts it.
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
    // Containers run with users that have no name.
    return process.getuid === undefined ? null : `uid ${String(process.getuid())}`;
  }
}
