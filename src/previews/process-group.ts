/** Process groups of browsers, which consist of many processes. */
import { readdirSync, readFileSync } from "node:fs";

const pageBytes = 4096;

/** Returns the bytes of private memory of a group's processes; 0 if there is no procfs (proc(5)). */
export function groupBytes(group: number): number {
  let bytes = 0;
  for (const name of processNames()) {
    // After the name in parentheses: state, parent, group.
    const stat = read(`/proc/${name}/stat`);
    const [, , own] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (own !== String(group)) continue;
    const [, resident = "0", shared = "0"] = read(`/proc/${name}/statm`).split(" ");
    bytes += (Number(resident) - Number(shared)) * pageBytes;
  }
  return bytes;
}

const watchMs = 200;

/** Kills a group when its memory exceeds a limit in bytes, until the returned function is called. Null is no group. */
export function watchMemory(group: number | null, bytesMax: number): () => void {
  const timer = setInterval(() => {
    if (group !== null && groupBytes(group) > bytesMax) killGroup(group);
  }, watchMs);
  return () => {
    clearInterval(timer);
  };
}

/** Kills all processes of a group. Null is no group. */
export function killGroup(group: number | null): void {
  if (group === null) return;
  for (const target of [-group, group]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // The group has already exited, or the system has no process groups.
    }
  }
}

/** Kills the process groups of those processes whose command line names a session folder; none where there is no procfs. */
export function killSession(sessionFolder: string): void {
  for (const name of processNames()) {
    if (read(`/proc/${name}/cmdline`).includes(sessionFolder)) killGroup(Number(name));
  }
}

const reapPauseMs = 20;

/** Makes this worker process exit when the service has disconnected: after its children, which are killed and reaped. */
export function exitAfterChildren(): void {
  const exit = (): void => {
    if (killChildren() === 0) process.exit();
    setTimeout(exit, reapPauseMs);
  };
  process.once("disconnect", exit);
}

/**
 * Kills the children of this process with their process groups. Returns how many there are, including those that have
 * exited and are not reaped; 0 where there is no procfs.
 */
function killChildren(): number {
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
    // Without procfs the memory of groups is unknown.
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has exited meanwhile.
    return "";
  }
}
