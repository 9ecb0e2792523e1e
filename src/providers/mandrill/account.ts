/**
 * Addresses that get no mail (https://mailchimp.com/developer/transactional/api/rejects/), and users and senders as far as
 * applications need them to send.
 */
import { derivedHex } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { newestEmails } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { collectionOf } from "../kit/objects.ts";
import { jsonResponse } from "../provider.ts";
import { errors } from "./errors.ts";
import { instantText, readMembers, requiredAddress } from "./request.ts";

/** Entry of the list; one with a subaccount concerns its mails only. */
interface Entry {
  readonly email: string;
  readonly detail: string;
  readonly subaccount: string | null;
  readonly createdAt: number;
}

/** Reason of entries that requests add. */
const reason = "custom";

const openRejects = collectionOf<Entry>("reject");

function idOf(email: string, subaccount: string | null): string {
  return derivedHex(64, email.toLowerCase(), subaccount ?? "");
}

/** Returns the reason for which an address gets no mail, or none of a subaccount; null when it gets mail. */
export async function rejectReasonOf(
  call: Pick<Call, "session">,
  email: string,
  subaccount: string | null,
): Promise<string | null> {
  const rejects = openRejects(call);
  for (const one of new Set([null, subaccount])) {
    if ((await rejects.find(idOf(email, one))) !== undefined) return reason;
  }
  return null;
}

/** Adds an address: `rejects/add`. */
export const addReject: Handler = async (call) => {
  const request = readMembers(call.request);
  const email = requiredAddress(request, "email");
  const subaccount = request.text("subaccount") || null;
  const entry = { email, subaccount, detail: request.text("comment") ?? "", createdAt: call.services.now() };
  await openRejects(call).put(idOf(email, subaccount), entry);
  return jsonResponse(200, { email, added: true });
};

/** Lists all addresses, or the entry of one: `rejects/list`. */
export const listRejects: Handler = async (call) => {
  const request = readMembers(call.request);
  const email = (request.text("email") ?? "").toLowerCase();
  const subaccount = request.text("subaccount") ?? "";
  const isWanted = (entry: Entry): boolean =>
    (email === "" || entry.email === email) && (subaccount === "" || entry.subaccount === subaccount);
  return jsonResponse(200, (await openRejects(call).all()).filter(isWanted).map(entryJson));
};

/** Removes an address: `rejects/delete`. */
export const deleteReject: Handler = async (call) => {
  const request = readMembers(call.request);
  const email = requiredAddress(request, "email");
  const subaccount = request.text("subaccount") || null;
  const isDeleted = await openRejects(call).remove(idOf(email, subaccount));
  if (!isDeleted) throw errors.unknownReject(email);
  return jsonResponse(200, { email, deleted: true, subaccount });
};

function entryJson({ email, detail, subaccount, createdAt }: Entry): JsonObject {
  const at = instantText(createdAt);
  const shown = { created_at: at, last_event_at: at, expires_at: null, expired: false };
  return { email, reason, detail, ...shown, sender: null, subaccount };
}

/** Newest mails whose senders are listed. */
const bounds = { countMax: 1000, pageSize: 100 };

/** Validates the key: `users/ping`. */
export const ping: Handler = async () => jsonResponse(200, "PONG!");

/** Validates the key: `users/ping2`. */
export const ping2: Handler = async () => jsonResponse(200, { PING: "PONG!" });

/** Describes the account, without statistics: `users/info`. */
export const getUser: Handler = async ({ services }) => {
  const account = { username: "restante", public_id: "restante", reputation: 100, hourly_quota: 10_000, backlog: 0 };
  return jsonResponse(200, { ...account, created_at: instantText(services.now()), stats: {} });
};

/** Lists the senders of the newest mails: `users/senders` and `senders/list`. */
export const listSenders: Handler = async (call) => {
  const none = { hard_bounces: 0, soft_bounces: 0, rejects: 0, complaints: 0, unsubs: 0, opens: 0, clicks: 0 };
  const senders = await sendersOf(call);
  const shown = senders.map((one) => ({ ...one, ...none, unique_opens: 0, unique_clicks: 0 }));
  return jsonResponse(200, shown);
};

/** Lists the domains of the senders of the newest mails, whose records are not checked: `senders/domains`. */
export const listDomains: Handler = async (call) => {
  const valid = { valid: true, valid_after: null, error: null };
  const created = new Map((await sendersOf(call)).map((one) => [one.address.split("@").at(-1), one.created_at]));
  const domains = Array.from(created, ([domain, at]) => {
    const times = { created_at: at, last_tested_at: at };
    return { domain, ...times, spf: valid, dkim: valid, verified_at: at, valid_signing: true };
  });
  return jsonResponse(200, domains);
};

interface Sender {
  readonly address: string;
  readonly created_at: string;
  readonly sent: number;
}

async function sendersOf({ session }: Call): Promise<readonly Sender[]> {
  const senders = new Map<string, Sender>();
  for await (const { message, createdAt } of newestEmails(session, {}, bounds)) {
    const address = message.from[0]?.email ?? "";
    const sent = (senders.get(address)?.sent ?? 0) + 1;
    senders.set(address, { address, created_at: instantText(createdAt), sent });
  }
  return [...senders.values()];
}
