import { readSettings, type Config } from "../app/settings/config.ts";
import type { Call } from "./command.ts";

/** The settings of the service that a command is about: the environment's, with the command's own `--data-dir`. */
export function configOf({ flags, terminal }: Call): Config {
  const dataDir = flags.get("data-dir");
  const argv = dataDir === undefined ? [] : [`--data-dir=${dataDir}`];
  return readSettings(terminal.environment, argv).config;
}
