import { readSettings, SettingsRefused } from "../app/config.ts";
import { startService } from "../app/lifecycle.ts";
import { openLog } from "../app/log.ts";
import { readyMessage } from "../app/ready-message.ts";
import { watchStopSignals } from "../app/stop-signal.ts";
import { readVersion } from "../app/version.ts";
import { exitCodes, UsageRefused, type Action } from "./command.ts";

/** `restante serve`: resolves after a signal, when everything is closed. */
export const serve: Action = async ({ argv, terminal }) => {
  try {
    const { config, warnings } = readSettings(terminal.environment, argv);
    for (const warning of warnings) terminal.error(`restante: ${warning}\n`);
    const log = openLog(config.log);
    const signal = watchStopSignals(log);
    const service = await startService(config, { log });
    terminal.out(readyMessage(service, readVersion(), process.cwd()));
    await signal.received;
    await service.stop();
    return exitCodes.done;
  } catch (error) {
    if (error instanceof SettingsRefused) throw new UsageRefused(error.message, { cause: error });
    throw error;
  }
};
