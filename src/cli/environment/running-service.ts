import { readRunningService, type ServiceAddress } from "../../app/service-file.ts";
import type { Config } from "../../app/settings/config.ts";

/** Returns the addresses of the service that runs on the data folder. Throws an `Error` for the operator without one. */
export function runningService({ dataDir }: Config): ServiceAddress {
  const address = readRunningService(dataDir);
  if (address !== undefined) return address;
  throw new Error(`No service is running in ${dataDir}; start restante serve, or set --data-dir`);
}
