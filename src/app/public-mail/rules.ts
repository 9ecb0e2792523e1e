/** Rules of a service that receives mail from the Internet (`RESTANTE_MX`). */
import { isIP } from "node:net";
import { join } from "node:path";
import { mtaStsPolicy, type MtaStsPolicy } from "../../core/mta-sts.ts";
import { isLoopbackOnly } from "../loopback.ts";
import type { Config } from "../settings/config.ts";

/** Returns the MTA-STS policy of the mail domain; null where none is served. */
export function mtaStsOf({
  mx,
  mtaSts,
  mailDomain,
}: Pick<Config, "mx" | "mtaSts" | "mailDomain">): MtaStsPolicy | null {
  return mx === null || mtaSts === "off" ? null : mtaStsPolicy(mailDomain, mx, mtaSts);
}

/** Returns whether unknown credentials are accepted by a setting of `auto`, `any` or others: with `auto` those of this machine only. */
export function acceptsUnknown({ bind, mx }: Pick<Config, "bind" | "mx">, setting: string): boolean {
  return setting === "any" || (setting === "auto" && isLoopbackOnly(bind) && mx === null);
}

/** Returns the file of the issued certificate in a data folder. */
export function issuedFile(dataDir: string): string {
  return join(dataDir, "tls", "acme", "server.pem");
}

/** Returns the file of the issued certificate; null where none is ordered. */
export function issuedFileOf({ acme, dataDir }: Pick<Config, "acme" | "dataDir">): string | null {
  return acme === null ? null : issuedFile(dataDir);
}

/** Returns the names of the certificate: the mail host, that of the MTA-STS policy, and that of an HTTPS public URL. */
export function certificateNames(config: Config): readonly string[] {
  const { mx, publicUrl } = config;
  const url = publicUrl === null ? null : new URL(publicUrl);
  const isNamed = url?.protocol === "https:" && isIP(url.hostname.replace(/^\[(.*)\]$/, "$1")) === 0;
  const names = [mx, mtaStsOf(config)?.host, isNamed ? url.hostname : null];
  return [...new Set(names.filter((name) => typeof name === "string"))];
}
