import { readSettings } from "../../app/settings/config.ts";
import { startService } from "../../app/service.ts";
import { openLog } from "../../app/log/log.ts";
import { startupMessage } from "../../app/startup-message.ts";
import { stopSignal } from "../../app/stop-signal.ts";
import { readVersion } from "../../app/version.ts";
import { exitCodes, type Action } from "../command.ts";
import { findLauncher, systemProcesses, watchLauncher } from "./launcher.ts";

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
