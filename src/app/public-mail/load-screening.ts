import type { Clock } from "../../core/clock.ts";
import type { SmtpOperations } from "../../ingress/smtp/options.ts";
import { dnsSource } from "../external-checks.ts";
import type { Config } from "../settings/config.ts";

/** Loads the screening of recipients; undefined where mail arrives from the own network only. */
export async function loadScreening(config: Config, clock: Clock): Promise<SmtpOperations["screenRecipient"]> {
  if (config.mx === null) return undefined;
  const [{ createScreening, blockListMsMax }, { openDns }] = await Promise.all([
    import("../../operations/inbound/screen-recipient.ts"),
    import("../../authentication/dns.ts"),
  ]);
  const { mailDomain: domain, blockLists, greylistMs, limits } = config;
  const { publicRecipientCountPerNetworkPerMinuteMax: recipientCountPerNetworkPerMinuteMax } = limits;
  const rules = { domain, blockLists, greylistMs, recipientCountPerNetworkPerMinuteMax };
  const source = dnsSource(config);
  return createScreening(rules, { clock, lookup: async (name, type) => openDns(source, blockListMsMax)(name, type) });
}
