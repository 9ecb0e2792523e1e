import { existsSync } from "node:fs";
import { join } from "node:path";
import { configOf } from "../config-of.ts";
import type { Call } from "../command.ts";

/** Returns the absolute path of the local CA's certificate. Throws an `Error` for the operator when there is none. */
export function caFileOf(call: Call): string {
  const { dataDir, tlsCert } = configOf(call);
  if (tlsCert !== null) throw new Error("There is no local CA, because RESTANTE_TLS_CERT is set");
  const file = join(dataDir, "tls", "ca.pem");
  if (existsSync(file)) return file;
  throw new Error(`There is no CA in ${dataDir}; start restante serve, which creates one, or set --data-dir`);
}
