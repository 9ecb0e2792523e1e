import type { Clock } from "../../core/clock.ts";
import type { SmtpOperations } from "../../ingress/smtp/options.ts";
import type { judgeSender } from "../../operations/inbound/judge-sender.ts";
import type { Store } from "../../store/store.ts";
import { dnsSource } from "../external-checks.ts";
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
  const [{ createScreening, blockListMsMax }, { createSharedTriples }, { openDns }, { judgeSender }] =
    await Promise.all([
      import("../../operations/inbound/screen-recipient.ts"),
      import("../../operations/inbound/shared-triples.ts"),
      import("../../authentication/dns.ts"),
      import("../../operations/inbound/judge-sender.ts"),
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
