/** The numbers of servers: made, listed and removed with an account key. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../core/api-key.ts";
import { invalidField, Problem } from "../core/errors.ts";
import type { OwnedNumber, SmsProvider } from "../core/owned-number.ts";
import { parsePhoneNumber } from "../core/phone-number.ts";
import { openServer, requireAccount } from "./access.ts";
import type { Context } from "./context.ts";

/** What the caller says of a number. */
export interface NumberRequest {
  /** In international form; required. */
  readonly number?: string;
  /** Id of its server; required. */
  readonly server?: string;
  /** Whose signatures are used; `twilio` when absent. */
  readonly provider?: SmsProvider;
  /** What the provider signs with. */
  readonly secret?: string;
  /** http or https URL of the application's inbound hook. */
  readonly webhook?: string;
}

const urlLengthMax = 4000;
const secretLengthMax = 256;

/** Gives a number to a server. Rejects with `forbidden`, `not_found`, `conflict`, or a 400 that names the field. */
export async function addPhoneNumber(
  context: Pick<Context, "store" | "clock">,
  principal: Principal,
  request: NumberRequest,
): Promise<OwnedNumber> {
  requireAccount(principal);
  const number = parsePhoneNumber(request.number ?? "");
  if (number === undefined) throw invalidField("number", "Must be in international form, such as +15550100");
  if (request.server === undefined) throw invalidField("server", "Name a server", "required");
  const { provider = "twilio", secret = null, webhook = null } = request;
  if (webhook !== null && !isWebUrl(webhook)) throw invalidField("webhook", "Must be an http or https URL");
  if (secret !== null && secret.length > secretLengthMax) {
    throw invalidField("secret", `At most ${String(secretLengthMax)} characters`, "too_long");
  }
  const { id: server } = await openServer(context, principal, request.server);
  const own: OwnedNumber = {
    id: randomUUID(),
    number,
    server,
    provider,
    secret,
    webhook,
    createdAt: context.clock.now(),
  };
  await context.store.phoneNumbers.addPhoneNumber(own);
  return own;
}

/** All numbers, in order; rejects with `forbidden`. */
export async function listPhoneNumbers(
  context: Pick<Context, "store">,
  principal: Principal,
): Promise<readonly OwnedNumber[]> {
  requireAccount(principal);
  return context.store.phoneNumbers.listPhoneNumbers();
}

/** Takes a number from its server; texts that it got stay. Rejects with `forbidden`, with `not_found`. */
export async function removePhoneNumber(
  context: Pick<Context, "store">,
  principal: Principal,
  id: string,
): Promise<void> {
  requireAccount(principal);
  if (!(await context.store.phoneNumbers.removePhoneNumber(id))) throw new Problem("not_found");
}

function isWebUrl(text: string): boolean {
  const url = text.length > urlLengthMax ? null : URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}
