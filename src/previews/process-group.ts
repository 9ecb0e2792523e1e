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
