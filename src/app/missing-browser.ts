import { isAbsolute } from "node:path";
import { isExecutable } from "../previews/find-browser.ts";
import { type Config, SettingsError } from "./settings/config.ts";

/** Throws {@link SettingsError} when RESTANTE_CHROMIUM names a file that is not an executable program. */
export function refuseMissingBrowser({ chromium }: Config): void {
  if (!isAbsolute(chromium) || isExecutable(chromium)) return;
  throw new SettingsError([`RESTANTE_CHROMIUM: ${chromium} is not an executable program`]);
}
