import { readSettings } from "../app/config.ts";
import { startService } from "../app/lifecycle.ts";
import { openLog } from "../app/log.ts";
import { readyMessage } from "../app/ready-message.ts";
import { stopSignal } from "../app/stop-signal.ts";
import { readVersion } from "../app/version.ts";
import { exitCodes, type Action } from "./command.ts";

/** `restante serve`: resolves after a signal, when everything is closed. */
export const serve: Action = async ({ argv, terminal }) => {
  const { config, warnings } = readSettings(terminal.environment, argv);
  for (const warning of warnings) terminal.error(`restante: ${warning}\n`);
  const log = openLog(config.log);
  const signal = stopSignal(log);
  const service = await startService(config, { log });
  terminal.out(readyMessage(service, readVersion(), process.cwd()));
  await signal;
  await service.stop();
  return exitCodes.done;
};
