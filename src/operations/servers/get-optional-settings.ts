import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import type { Context } from "../context.ts";
import { getScanner, type ShownScanner } from "../scanner/scanner-settings.ts";
import { openServer } from "../services/security/access.ts";
import { getDnsZone, type DnsZone } from "./dns-zone.ts";

/** Settings that a server may not have; null without them. */
export interface OptionalSettings {
  readonly scanner: ShownScanner | null;
  readonly zone: DnsZone | null;
}

/** Returns the link scanner and the DNS zone of a server. Rejects with `not_found` when there is no such server. */
export async function getOptionalSettings(
  context: Pick<Context, "store">,
  principal: Principal,
  idText: string,
): Promise<OptionalSettings> {
  await openServer(context, principal, idText);
  const [scanner, zone] = await Promise.all([
    orNull(getScanner(context, principal, idText)),
    orNull(getDnsZone(context, principal, idText)),
  ]);
  return { scanner, zone };
}

async function orNull<Setting>(reading: Promise<Setting>): Promise<Setting | null> {
  return reading.catch((error: unknown) => {
    if (error instanceof Problem && error.code === "not_found") return null;
    throw error;
  });
}
