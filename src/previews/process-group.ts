/** A browser is many processes, which form one group. */
import { readdirSync, readFileSync } from "node:fs";

const pageBytes = 4096;

/**
 * Bytes of memory that a group's processes have for themselves; 0 where the system does not tell (it does on Linux, proc(5)).
 */
export function groupBytes(group: number): number {
  let bytes = 0;
  for (const name of processNames()) {
    // Behind the name in brackets: state, parent, group.
    const stat = read(`/proc/${name}/stat`);
    const [, , own] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (own !== String(group)) continue;
    const [, resident = "0", shared = "0"] = read(`/proc/${name}/statm`).split(" ");
    bytes += (Number(resident) - Number(shared)) * pageBytes;
  }
  return bytes;
}

/** Ends all processes of a group at once; none are left to be asked. */
export function killGroup(group: number): void {
  for (const target of [-group, group]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It has ended already, or the system knows no groups.
    }
  }
}

/**
 * Kills the process groups of those children of this process whose command line names a session folder, and returns their
 * ids; none where there is no procfs.
 */
export function killSession(sessionFolder: string): readonly number[] {
  const found = processNames().filter((name) => {
    return (
      parentOf(read(`/proc/${name}/stat`)) === String(process.pid) &&
      read(`/proc/${name}/cmdline`).includes(sessionFolder)
    );
  });
  for (const name of found) killGroup(Number(name));
  return found.map(Number);
}

/** Whether a child of this process runs, or has ended and is not reaped. */
export function isUnreaped(processId: number): boolean {
  const stat = read(`/proc/${String(processId)}/stat`);
  if (stat !== "") return parentOf(stat) === String(process.pid);
  if (processNames().length > 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    // It is reaped.
    return false;
  }
}

/** Returns the id of the parent process from the content of a `stat` file (proc(5)). */
function parentOf(stat: string): string | undefined {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1];
}

function processNames(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    // No procfs: the memory of groups is unknown.
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended meanwhile.
    return "";
  }
}
