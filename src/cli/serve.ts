import { readSettings } from "../app/settings/config.ts";
import { startService } from "../app/service.ts";
import { openLog } from "../app/log.ts";
import { startupMessage } from "../app/startup-message.ts";
import { stopSignal } from "../app/stop-signal.ts";
import { readVersion } from "../app/version.ts";
import { exitCodes, type Action } from "./command.ts";
import { findLauncher, systemProcesses, watchLauncher } from "./launcher.ts";

/** `restante serve`: resolves after a signal, or after the end of the npm that started it, when everything is closed. */
export const serve: Action = async ({ argv, terminal }) => {
  const { pid } = process;
  // Looked for before the start takes its time: npm may be killed meanwhile.
  const launcher = findLauncher(pid, terminal.environment, systemProcesses);
  const { config, warnings } = readSettings(terminal.environment, argv);
  for (const warning of warnings) terminal.error(`restante: ${warning}\n`);
  const log = openLog(config.log);
  // Standard output may be a file on a disk that is full, which is no reason to stop.
  process.stdout.on("error", (error) => {
    log.warn({ err: error }, "standard output cannot be written");
  });
  const signal = stopSignal(log);
  const onEnd = (): void => {
    log.info({}, "npm, which started the service, has ended");
    process.kill(pid, "SIGTERM");
  };
  if (launcher !== undefined) watchLauncher(pid, launcher, { table: systemProcesses, clock: terminal.clock, onEnd });
  const service = await startService(config, { log });
  terminal.out(startupMessage(service, readVersion(), process.cwd()));
  await signal;
  await service.stop();
  return exitCodes.done;
};
