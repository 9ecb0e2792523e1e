/** Delays of mails that are held, by fault rules or for scanners that work before a mail becomes visible. */
import { Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import type { Store } from "../../store/store.ts";
import { behaviourOf } from "./profiles.ts";
import { findScanner } from "./scanner-settings.ts";

/** Delays of the copies of a mail. */
export interface HoldDelays {
  /** Milliseconds for which the copies of servers are held; those of other servers are stored at once. */
  readonly delays: ReadonlyMap<ServerId, number>;
  /** Servers among them that only a scanner delays: see {@link unlessTooMany}. */
  readonly onlyScanned: ReadonlySet<ServerId>;
}

/** Adds scanner delays, for each server that receives the mail, to the delays of fault rules (`late`). */
export async function holdDelays(
  context: { readonly store: Pick<Store, "scanners"> },
  servers: readonly ServerId[],
  late: ReadonlyMap<ServerId, number>,
): Promise<HoldDelays> {
  let held = late.size === 0 ? null : { delays: new Map(late), onlyScanned: new Set<ServerId>() };
  for (const server of servers) {
    const found = findScanner(context, server);
    const settings = found instanceof Promise ? await found : found;
    const scanner = settings === null ? null : behaviourOf(settings);
    if (scanner?.when !== "before") continue;
    held ??= { delays: new Map(), onlyScanned: new Set() };
    if (!late.has(server)) held.onlyScanned.add(server);
    held.delays.set(server, Math.max(late.get(server) ?? 0, scanner.delayMs));
  }
  return held ?? none;
}

const none: HoldDelays = { delays: new Map(), onlyScanned: new Set() };

/**
 * Returns what `holding` resolves with; null when the server holds too many messages to hold one more and only its scanner
 * delays the mail, which is then stored at once and scanned afterwards, because a scanner must not make mail fail.
 */
export async function unlessTooMany<Result>(
  holding: Promise<Result>,
  { onlyScanned }: HoldDelays,
  server: ServerId,
): Promise<Result | null> {
  return holding.catch((error: unknown) => {
    const isTooMany = error instanceof Problem && error.code === "limit_reached";
    if (isTooMany && onlyScanned.has(server)) return null;
    throw error;
  });
}
