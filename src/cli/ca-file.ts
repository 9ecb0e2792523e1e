import { existsSync } from "node:fs";
import { join } from "node:path";
import { configOf } from "./config-of.ts";
import type { Call } from "./command.ts";

/** Absolute path of the local CA's certificate; throws an `Error` that says why there is none. */
export function caFileOf(call: Call): string {
  const { dataDir, tlsCert } = configOf(call);
  if (tlsCert !== null) throw new Error("With a certificate of your own (RESTANTE_TLS_CERT) there is no local CA");
  const file = join(dataDir, "tls", "ca.pem");
  if (existsSync(file)) return file;
  throw new Error(`There is no CA in ${dataDir} yet; restante serve makes one, --data-dir names another`);
}
