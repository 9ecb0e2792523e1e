/** Rules of a service that receives mail from the Internet (`RESTANTE_MX`), and the operations that are loaded for it. */
import { isIP } from "node:net";
import { join } from "node:path";
import type { DnsSource } from "../../authentication/dns.ts";
import type { Clock } from "../../core/clock.ts";
import { mtaStsPolicy, type MtaStsPolicy } from "../../core/mta-sts.ts";
import type { SmtpOperations } from "../../ingress/smtp/options.ts";
import type { judgeSender } from "../../operations/inbound/screen-mail.ts";
import type { Store } from "../../store/store.ts";
import { isLoopbackOnly } from "../loopback.ts";
import type { Config } from "../settings/config.ts";

/** Operations on mail from the Internet. */
export interface PublicMail {
  /** Creates the screening of recipients. `shared` is the store that nodes share; null: this process is the only one. */
  readonly openScreening: (
    shared: Pick<Store, "providerObjects"> | null,
  ) => NonNullable<SmtpOperations["screenRecipient"]>;
  readonly judgeSender: typeof judgeSender;
}

/** Loads the operations on mail from the Internet; undefined where mail arrives from the own network only. */
export async function loadPublicMail(config: Config, clock: Clock): Promise<PublicMail | undefined> {
  if (config.mx === null) return undefined;
  const [{ createScreening, blockListMsMax, createSharedTriples, judgeSender }, { openDns }] = await Promise.all([
    import("../../operations/inbound/screen-mail.ts"),
    import("../../authentication/dns.ts"),
  ]);
  const { mailDomain: domain, blockLists, greylistMs, limits } = config;
  const { publicRecipientCountPerNetworkPerMinuteMax: recipientCountPerNetworkPerMinuteMax } = limits;
  const rules = { domain, blockLists, greylistMs, recipientCountPerNetworkPerMinuteMax };
  const source = dnsSource(config);
  const lookup: Parameters<typeof createScreening>[1]["lookup"] = async (name, type) =>
    openDns(source, blockListMsMax)(name, type);
  return {
    openScreening: (shared) => {
      const triples = shared === null ? {} : { tripleAges: createSharedTriples(shared.providerObjects, clock) };
      return createScreening(rules, { clock, lookup, ...triples });
    },
    judgeSender,
  };
}

/** Returns the resolver of checks of mail and domains. */
export function dnsSource({ dns }: Config): DnsSource {
  return dns === "system" || dns === "off" ? { kind: dns } : { kind: "servers", servers: dns };
}

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
