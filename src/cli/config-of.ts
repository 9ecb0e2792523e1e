import { readSettings, type Config } from "../app/settings/config.ts";
import type { Call } from "./command.ts";

/** Reads the settings of a command from the environment and its flag `--data-dir`. */
export function configOf({ flags, terminal }: Call): Config {
  const dataDir = flags.get("data-dir");
  const argv = dataDir === undefined ? [] : [`--data-dir=${dataDir}`];
  return readSettings(terminal.environment, argv).config;
}
