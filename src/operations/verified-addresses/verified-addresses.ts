import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { invalidField, notFound, Problem } from "../../core/errors.ts";
import { isReservedMailDomain } from "../../core/mail-addresses.ts";
import { build, type ValueOf } from "../../core/schema.ts";
import { emailAddress } from "../../core/text-schemas.ts";
import type { VerifiedAddress } from "../../core/verified-address.ts";
import { composeMail } from "../../mime/compose/compose.ts";
import type { NewOutboxEntry } from "../../store/outbox-store.ts";
import { verificationEntryId } from "../../store/permission-stores.ts";
import { sameSecret } from "../services/security/secret-box.ts";
import type { AccountContext, Context } from "../context.ts";
import { findRoute, readAddress } from "../sending/allowed-recipients.ts";
import { orNotFound, requireAccount } from "../services/security/access.ts";
import { newStamp, outboundOf } from "../services/sending/new-mail.ts";

/** Request body that adds an address. */
export const verificationRequestSchema = build.partial({
  address: emailAddress("One plain address; required."),
  operatorToken: build.string("Token from `service.json` in the data folder; verifies the address at once."),
});

/**
 * Adds the address as `Pending` and mails a token to it; with the operator token it becomes `Verified` at once, even if it
 * was pending. Rejects with `forbidden`, with a 400 on `address`, with `conflict` for a known address, and with
 * `too_many_requests` when a token was mailed to it within the last hour or the outbound limit is reached.
 */
export async function addVerifiedAddress(
  context: Context,
  principal: Principal,
  request: ValueOf<typeof verificationRequestSchema>,
): Promise<VerifiedAddress> {
  requireAccount(principal);
  const address = readAddress("address", request.address ?? "");
  if (request.operatorToken === undefined) return askOwner(context, address);
  if (!sameSecret(request.operatorToken, context.operatorToken)) throw new Problem("forbidden");
  return approveAddress(context, address);
}

/** Adds an address as `Verified` for the operator. */
export async function approveAddress(context: AccountContext, addressText: string): Promise<VerifiedAddress> {
  const { verifiedAddresses } = context.store;
  const address = readAddress("address", addressText);
  const known = await verifiedAddresses.findVerifiedAddress(address);
  if (known !== undefined) return (await verifiedAddresses.verifyAddress(known.id)) ?? known;
  const approved = newAddress(context, { address, status: "Verified", tokenHash: null });
  await verifiedAddresses.addVerifiedAddress(approved);
  return approved;
}

/** Returns the lower-case hex SHA-256 of a token, which is stored instead of it. */
function hashToken(token: string): string {
  return createHash("sha256").update(token, "utf8").digest("hex");
}

async function askOwner(context: Context, address: string): Promise<VerifiedAddress> {
  if ((await findRoute(context, address)) !== "refused") {
    throw new Problem("conflict", { text: "This address is already verified" });
  }
  if (isReservedMailDomain(address.slice(address.lastIndexOf("@") + 1))) {
    throw invalidField("address", "Mail to this domain never leaves the service", "invalid_address");
  }
  if (!context.settings.hasRelay) {
    throw invalidField("address", "The owner cannot be asked: RESTANTE_RELAY_URL is not set", "no_relay");
  }
  const token = randomBytes(24).toString("base64url");
  const pending = newAddress(context, { address, status: "Pending", tokenHash: hashToken(token) });
  const content = await composeQuestion(context, address, token);
  const question: NewOutboxEntry = {
    id: verificationEntryId(pending.id),
    message: null,
    route: "relay",
    mailFrom: questioner(context),
    rcptTo: [address],
    content,
    status: "Queued",
    lastError: null,
    at: context.clock.now(),
  };
  await context.store.verifiedAddresses.addVerifiedAddress(pending, outboundOf(context, [question]));
  context.wakeOutbox();
  return pending;
}

function newAddress(
  context: AccountContext,
  fields: Pick<VerifiedAddress, "address" | "status" | "tokenHash">,
): VerifiedAddress {
  return { id: randomUUID(), createdAt: context.clock.now(), ...fields };
}

async function composeQuestion(context: Context, address: string, token: string): Promise<Uint8Array> {
  const { mailDomain, publicUrl } = context.settings;
  return composeMail({
    ...newStamp(context, mailDomain),
    from: { name: "restante", address: questioner(context) },
    to: [{ address }],
    subject: "May tests write to you?",
    text: `Somebody who tests with restante at ${publicUrl()} wants to send mail to ${address}.

If that is all right, give them this token:

${token}

If you do not know what this is about, do nothing: nothing else will be sent.
`,
    html: null,
    extra: { "Auto-Submitted": "auto-generated" },
  });
}

function questioner({ settings }: Context): string {
  return `verify@${settings.mailDomain}`;
}

/** Returns the added addresses, by address, without those of the settings. Rejects with `forbidden`. */
export async function listVerifiedAddresses(
  context: Context,
  principal: Principal,
): Promise<readonly VerifiedAddress[]> {
  requireAccount(principal);
  return context.store.verifiedAddresses.listVerifiedAddresses();
}

/** Removes an address; queued mail to it is not sent either. Rejects with `forbidden`, with `not_found`. */
export async function removeVerifiedAddress(context: Context, principal: Principal, id: string): Promise<void> {
  requireAccount(principal);
  if (!(await context.store.verifiedAddresses.removeVerifiedAddress(id))) throw notFound("Verified address");
}

/** Address and the token that was mailed to its owner. */
interface Verification {
  readonly id: string;
  readonly token?: string;
}

/**
 * Verifies a pending address; no effect on a verified one. Rejects with `forbidden`, with `not_found`, with
 * a 400 on `token`, and with `too_many_requests` after too many wrong tokens.
 */
export async function verifyAddress(
  context: Context,
  principal: Principal,
  { id, token = "" }: Verification,
): Promise<VerifiedAddress> {
  requireAccount(principal);
  const { verifiedAddresses } = context.store;
  const found = orNotFound(await verifiedAddresses.getVerifiedAddress(id), "Verified address");
  if (found.tokenHash === null) return found;
  const subject = `verify ${id}`;
  context.wrongSecrets.check(subject);
  if (!sameSecret(hashToken(token), found.tokenHash)) {
    context.wrongSecrets.recordFailure(subject);
    throw invalidField("token", "Must be the token that was mailed to the address", "wrong_token");
  }
  return orNotFound(await verifiedAddresses.verifyAddress(id), "Verified address");
}
