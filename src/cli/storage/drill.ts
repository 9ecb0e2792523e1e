import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type Action, exitCodes, UsageError } from "../command.ts";
import { configOf } from "../config-of.ts";
import { plainMessage } from "../plain-message.ts";
import { recordCommand } from "../record-command.ts";
import { type DrillReport, runDrill } from "./drill-steps.ts";
import { whole } from "./progress-bar.ts";

/** Largest and usual number of messages whose contents are compared; the help of the command names both. */
const [sampleCountMax, usualSampleCount] = [100_000, 1000];
/** Servers without a fault that the text names. */
const namedServerCountMax = 20;

/** Runs `restante drill`: exits with 1 when a backup does not restore whole. */
export const drill: Action = async (call) => {
  const config = configOf(call);
  if (config.databaseUrl !== null) {
    throw new Error(
      "restante drill works on data folders only; for PostgreSQL, restore the dump to an empty database, and run restante check with RESTANTE_DATABASE_URL of that database",
    );
  }
  const given = call.flags.get("backup");
  const place = { config, terminal: call.terminal };
  const isThere = statSync(config.dataDir, { throwIfNoEntry: false })?.isDirectory() === true;
  const sampleCount = sampleOf(call.flags.get("sample"));
  try {
    const report = await untilSignal((interrupted) =>
      runDrill({
        dataDir: config.dataDir,
        backup: given === undefined ? null : resolve(given),
        sampleCount,
        clock: call.terminal.clock,
        secretNames: ["RESTANTE_SECRET_KEY", "RESTANTE_API_KEY"].filter((name) => call.terminal.environment[name]),
        interrupted,
      }),
    );
    call.terminal.out(call.flags.has("json") ? `${JSON.stringify(report, null, 2)}\n` : textOf(report));
    const failed = report.steps.find(({ status }) => status === "failed");
    const details = failed === undefined ? {} : { failed: true, reason: `${failed.step}: ${failed.text}` };
    if (isThere) await recordCommand(place, "store.drill", { details });
    return failed === undefined ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    const reason = error instanceof Error ? plainMessage(error) : String(error);
    if (isThere) await recordCommand(place, "store.drill", { details: { failed: true, reason } });
    throw error;
  }
};

/** Runs `body` with a signal that SIGINT and SIGTERM abort, so that it can remove its copies of the mail. */
async function untilSignal<Result>(body: (interrupted: AbortSignal) => Promise<Result>): Promise<Result> {
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort(new Error("the drill was interrupted"));
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await body(interrupt.signal);
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

function sampleOf(given = String(usualSampleCount)): number {
  const count = Number(given);
  if (/^\d+$/.test(given) && count > 0 && count <= sampleCountMax) return count;
  throw new UsageError(`--sample: give a number from 1 to ${sampleCountMax}`);
}

function textOf({ passed, steps, servers, notes }: DrillReport): string {
  const faulty = servers.filter(({ isFaulty }) => isFaulty);
  const shown = [...faulty, ...servers.filter(({ isFaulty }) => !isFaulty).slice(0, namedServerCountMax)];
  const hiddenCount = servers.length - shown.length;
  return [
    ...steps.map(({ step, status, seconds, text }) => `${status.padEnd(9)}${step.padEnd(9)}${text} (${seconds} s)`),
    ...shown.map((server) => `${(server.isFaulty ? "failed" : "ok").padEnd(9)}${lineOf(server)}`),
    ...(hiddenCount > 0 ? [`ok       ${whole(hiddenCount)} other servers`] : []),
    ...notes.map((note) => `note     ${note}`),
    passed ? "The backup restores whole.\n" : "THE BACKUP DOES NOT RESTORE WHOLE.\n",
  ].join("\n");
}

function lineOf(server: DrillReport["servers"][number]): string {
  const { restoredCount, sourceCount, state } = server;
  const start = `server ${server.server}: ${whole(restoredCount)} messages restored`;
  if (state === "new") return `server ${server.server}: created after the backup, with ${whole(sourceCount)} messages`;
  if (state === "removed") return `${start}; deleted since the backup`;
  if (state === "other") return `${start}; not compared, because it was created or restored after the backup`;
  const counts = [
    `${whole(sourceCount)} in the data folder`,
    ...counted(server.arrivedCount, "arrived since"),
    ...counted(server.changedCount, "changed since"),
    ...counted(server.removedCount, "removed since"),
    ...counted(server.missingCount, "MISSING"),
    ...counted(server.differingCount, "WITH ANOTHER SUMMARY"),
    ...counted(server.sampleDifferingCount, "WITH OTHER CONTENT"),
    `contents of ${whole(server.sampledCount)} compared`,
  ];
  const named = server.named.length > 0 ? `: ${server.named.join(", ")}` : "";
  return `${start}; ${counts.join(", ")}${named}`;
}

function counted(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${whole(count)} ${what}`];
}
