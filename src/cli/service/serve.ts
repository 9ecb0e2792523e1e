import { readSettings } from "../../app/settings/config.ts";
import { startService } from "../../app/service.ts";
import { openLog } from "../../app/log/log.ts";
import { startupMessage } from "../../app/startup-message.ts";
import { stopSignal } from "../../app/stop-signal.ts";
import { readVersion } from "../../app/version.ts";
import { type Action, exitCodes } from "../command.ts";
import { readFileSync } from "node:fs";
import type { Clock } from "../../core/clock.ts";

/** Processes of this machine. */
export interface ProcessTable {
  /** Returns the process id of the parent; undefined when the process has exited, and on systems without `/proc`. */
  parentOf(pid: number): number | undefined;
  /** Returns the command line; empty when the process has exited. */
  commandOf(pid: number): string;
}

/** Process ids from the parent up to the launcher: the launcher alone, or a shell and the launcher. */
type Launcher = readonly [parent: number, launcher?: number];

const pollMs = 500;
const launchers = /(?:^|[/\s])(?:npm|npx|pnpm|pnpx|yarn)(?:-cli|\b)/;

/**
 * Returns the launcher that started the process `pid` in the foreground of its script, directly or through a shell; undefined
 * when there is none. A script that ends with `&` leaves the service running on purpose.
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

/** Calls `onEnd` once when the launcher or its shell has exited. */
export function watchLauncher(
  pid: number,
  [parent, launcher]: Launcher,
  { table, clock, onEnd }: { readonly table: ProcessTable; readonly clock: Clock; readonly onEnd: () => void },
): void {
  const isRunning = (): boolean =>
    table.parentOf(pid) === parent && (launcher === undefined || table.parentOf(parent) === launcher);
  const poll = (): void => {
    if (isRunning()) clock.after(pollMs, poll);
    else onEnd();
  };
  poll();
}

/** Process table of Linux, from `/proc`; empty on other systems. */
export const systemProcesses: ProcessTable = {
  parentOf: (pid) => {
    // The program name is in parentheses and may itself contain blanks and parentheses (proc_pid_stat(5)).
    const [, rest] = /^.*\) \S (\d+)/s.exec(readProcess(pid, "stat")) ?? [];
    return rest === undefined ? undefined : Number(rest);
  },
  commandOf: (pid) => readProcess(pid, "cmdline").replaceAll("\0", " "),
};

function readProcess(pid: number, file: "stat" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    // The process has exited, or the system has no /proc.
    return "";
  }
}

/** Runs `restante serve` until a signal, or until the npm that started it exits; resolves when everything is closed. */
export const serve: Action = async ({ argv, terminal }) => {
  const { pid } = process;
  // Before the start, during which npm may be killed.
  const launcher = findLauncher(pid, terminal.environment, systemProcesses);
  const { config, warnings } = readSettings(terminal.environment, argv);
  for (const warning of warnings) terminal.error(`restante: ${warning}\n`);
  const log = openLog(config.log);
  // Standard output may be a file on a full disk; the service continues.
  process.stdout.on("error", (error) => {
    log.warn({ err: error }, "writing to standard output failed");
  });
  const signal = stopSignal(log);
  const onEnd = (): void => {
    log.info({}, "npm exited; stopping the service that it started");
    process.kill(pid, "SIGTERM");
  };
  if (launcher !== undefined) watchLauncher(pid, launcher, { table: systemProcesses, clock: terminal.clock, onEnd });
  const service = await startService(config, { log });
  terminal.out(startupMessage(service, readVersion(), process.cwd()));
  await signal;
  await service.stop();
  return exitCodes.done;
};
