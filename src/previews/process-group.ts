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

/** Kills the process groups of those processes whose command line names a session folder; none where there is no procfs. */
export function killSession(sessionFolder: string): void {
  for (const name of processNames()) {
    if (read(`/proc/${name}/cmdline`).includes(sessionFolder)) killGroup(Number(name));
  }
}

/**
 * Kills the children of this process with their process groups. Returns how many there are, including those that have
 * exited and are not reaped; 0 where there is no procfs.
 */
export function killChildren(): number {
  const children = processNames().filter((name) => parentOf(read(`/proc/${name}/stat`)) === String(process.pid));
  for (const child of children) killGroup(Number(child));
  return children.length;
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
