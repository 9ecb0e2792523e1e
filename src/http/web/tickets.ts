/** Tickets: short-lived signed URLs of frames, images and downloads, which browsers fetch without script. */
import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import type { SecretBox } from "../../operations/services/security/secret-box.ts";

/** Time for which a ticket is valid, in milliseconds. */
export const ticketMsMax: number = 5 * 60_000;

/** Claim of a ticket. */
export interface TicketClaim {
  /** Stored name of the session that requested the ticket; not a secret. */
  readonly session: string;
  /** Cookie of the session, without which the ticket is invalid. */
  readonly cookie: string;
  /** Path and query of the only URL that the ticket opens. */
  readonly target: string;
}

const purpose = "web ticket";
const ending = /[?&]ticket=([\w-]{43})\.([0-9a-z]{1,12})\.([\w-]{43})$/;
/** URLs that a browser fetches by itself. */
const openable =
  /^\/(?:(?:api\/files|web\/messages|web\/images)\/[^\s#\\]*|api\/messages\/[\da-f-]{36}\/(?:bundle|attachments)|api\/servers\/[a-z\d]{8}\/bundle)$/;

/** Longest path and query that a ticket is issued for, in characters. */
export const ticketTargetLengthMax = 2000;

/** Returns whether tickets are issued for this path and query. */
export function isTicketTarget(target: string): boolean {
  return target.length <= ticketTargetLengthMax && openable.test(target) && !/[?&]ticket=/.test(target);
}

/** Returns the target with a ticket at the end of its query, valid for {@link ticketMsMax}. */
export function signTarget(context: TicketContext, claim: TicketClaim): string {
  const expires = (context.clock.now() + ticketMsMax).toString(36);
  const mark = claim.target.includes("?") ? "&" : "?";
  return `${claim.target}${mark}ticket=${claim.session}.${expires}.${macOf(context, claim, expires)}`;
}

/** Returns the stored name of the session of a URL's ticket; undefined without a valid ticket. */
export function readTicket(context: TicketContext, url: string, cookie: string): string | undefined {
  const found = ending.exec(url);
  if (found === null) return undefined;
  const [, session = "", expires = "", mac = ""] = found;
  const claim = { session, cookie, target: url.slice(0, found.index) };
  const isGenuine = timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(context, claim, expires)));
  return isGenuine && context.clock.now() < Number.parseInt(expires, 36) ? session : undefined;
}

/** Dependencies of tickets. */
export interface TicketContext {
  readonly clock: Pick<Clock, "now">;
  readonly secrets: Pick<SecretBox, "mac">;
}

function macOf({ secrets }: TicketContext, { session, cookie, target }: TicketClaim, expires: string): string {
  return secrets.mac([session, cookie, expires, target].join("\n"), purpose).toString("base64url");
}
