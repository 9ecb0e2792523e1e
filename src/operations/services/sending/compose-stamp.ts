import { randomBytes, randomUUID } from "node:crypto";
import type { ServerId } from "../../../core/ids.ts";
import type { Stamp } from "../../../mime/compose/compose.ts";
import type { NewOutboxEntry, OutboundEntries } from "../../../store/outbox-store.ts";
import type { Context } from "../../context.ts";

/** Returns the mail domain of a server. */
export function domainOf(context: Context, server: ServerId): string {
  return `${server}.${context.settings.mailDomain}`;
}

/** Returns a random address of the server. */
export function randomAddress(context: Context, server: ServerId): string {
  return `${randomBytes(5).toString("hex")}@${domainOf(context, server)}`;
}

/** Returns Message-ID, date and boundary seed of a new mail from a domain. */
export function newStamp(context: Context, domain: string): Stamp {
  return { messageId: `<${randomUUID()}@${domain}>`, date: context.clock.now(), boundarySeed: randomUUID() };
}

/** Returns the outbox entries with the hourly outbound limit, which the store enforces. */
export function outboundOf({ clock, limits }: Context, entries: readonly NewOutboxEntry[]): OutboundEntries {
  return { entries, allowance: { countMax: limits.outboundCountPerHourMax, now: clock.now() } };
}
