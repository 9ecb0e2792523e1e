import { type Lookup, openDns } from "../../authentication/dns.ts";
import { dnsSource } from "../external-checks.ts";
import type { Config } from "../settings/config.ts";

/** Time for all look-ups of one check. */
const checkMsMax = 20_000;

/** Returns the look-ups of one check of a domain: in a zone file, or by the resolver of the settings. Throws `ZoneError` for a malformed zone. */
export function openDomainLookup(config: Config, zone: string | null): Lookup {
  return openDns(zone === null ? dnsSource(config) : { kind: "fixtures", zone }, checkMsMax);
}
