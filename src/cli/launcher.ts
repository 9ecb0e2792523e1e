/** Ends a service together with the `npm start` or `npx` that it was started with, which forwards no signals. */
import { readFileSync } from "node:fs";
import type { Clock } from "../core/clock.ts";

/** The processes of this machine, as far as the search for a launcher needs them. */
export interface ProcessTable {
  /** Process id of the parent; undefined for a process that has ended, and where the system has no `/proc`. */
  parentOf(pid: number): number | undefined;
  /** Command line; empty for a process that has ended. */
  commandOf(pid: number): string;
}

/** The chain of process ids from the parent up to the launcher: the launcher alone, or its shell and the launcher. */
export type Launcher = readonly [parent: number, launcher?: number];

const pollMs = 500;
const launchers = /(?:^|[/\s])(?:npm|npx|pnpm|pnpx|yarn)(?:-cli|\b)/;

/**
 * Returns the launcher that started the process `pid` in the foreground of its script, directly or by a shell; undefined
 * when there is none. A script that ends with `&` means to leave the service running.
 */
export function findLauncher(
  pid: number,
  environment: Readonly<Record<string, string | undefined>>,
  table: ProcessTable,
): Launcher | undefined {
  const { npm_lifecycle_script: script } = environment;
  if (script === undefined || /&\s*$/.test(script)) return undefined;
  const parent = table.parentOf(pid);
  if (parent === undefined) return undefined;
  if (launchers.test(table.commandOf(parent))) return [parent];
  const grandparent = table.parentOf(parent);
  if (grandparent === undefined || !launchers.test(table.commandOf(grandparent))) return undefined;
  return [parent, grandparent];
}

/** Calls `onEnd` once when the launcher or its shell has ended. */
export function watchLauncher(
  pid: number,
  [parent, launcher]: Launcher,
  { table, clock, onEnd }: { readonly table: ProcessTable; readonly clock: Clock; readonly onEnd: () => void },
): void {
  const isThere = (): boolean =>
    table.parentOf(pid) === parent && (launcher === undefined || table.parentOf(parent) === launcher);
  const look = (): void => {
    if (isThere()) clock.after(pollMs, look);
    else onEnd();
  };
  look();
}

/** The process table of Linux; elsewhere it knows no process. */
export const systemProcesses: ProcessTable = {
  parentOf: (pid) => {
    // The name of the program stands in brackets and may itself hold blanks and brackets (proc_pid_stat(5)).
    const [, rest] = /^.*\) \S (\d+)/s.exec(readProcess(pid, "stat")) ?? [];
    return rest === undefined ? undefined : Number(rest);
  },
  commandOf: (pid) => readProcess(pid, "cmdline").replaceAll("\0", " "),
};

function readProcess(pid: number, file: "stat" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    // The process has ended, or the system has no /proc.
    return "";
  }
}
