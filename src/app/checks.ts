/** What the checks of mail ask beside the service, as the settings name it. */
import type { DnsSource } from "../authentication/dns.ts";
import { probeLink } from "../egress/probe-link.ts";
import { askSpamd } from "../egress/spamd.ts";
import type { Context } from "../operations/context.ts";
import type { Config } from "./config.ts";

/** Longest time that SpamAssassin may take for one mail; its own network tests take up to ten seconds. */
const spamdMsMax = 15_000;

/** SpamAssassin, where the settings name it, and link checks, where they allow them. */
export function outsideChecks({ spamd, linkCheck }: Config): Pick<Context, "spamFilter" | "probeLink"> {
  return {
    spamFilter:
      spamd === null
        ? null
        : { name: "SpamAssassin", judge: (raw) => askSpamd({ ...spamd, timeoutMs: spamdMsMax }, raw) },
    probeLink: linkCheck ? (url) => probeLink(url) : null,
  };
}

/** Who answers for the name system. */
export function dnsSource({ dns }: Config): DnsSource {
  return dns === "system" || dns === "off" ? { kind: dns } : { kind: "servers", servers: dns };
}
