/** Services that the guides start. */
import { resolve } from "node:path";
import { LocalService } from "../../src/testing/local-service.ts";

/** API key of the service, unless the guide sets one. */
export const serviceKey = "key-of-the-guide";

/** Starts a service within this process, with the arguments and the environment that `restante serve` of a workspace printed. */
export async function startAs(printed: string, folder: string): Promise<LocalService> {
  const [argv, environment] = JSON.parse(printed) as [string[], Record<string, string>];
  const ownFolder = argv.indexOf("--data-dir");
  const data = resolve(folder, ownFolder === -1 ? "service" : (argv[ownFolder + 1] ?? ""));
  const others = ownFolder === -1 ? argv : argv.toSpliced(ownFolder, 2);
  const settings = Object.entries(environment).filter(([name]) => name.startsWith("RESTANTE_"));
  const defaults = { RESTANTE_API_KEY: serviceKey, RESTANTE_SERVERS: "abcd1234:Shop" };
  return LocalService.start([`--data-dir=${data}`, ...others], { ...defaults, ...Object.fromEntries(settings) });
}
