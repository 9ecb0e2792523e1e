/**
 * Addresses that get no mail (https://mailchimp.com/developer/transactional/api/rejects/), and users and senders as far as
 * applications need them to send.
 */
import { derivedHex } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { newestEmails } from "../kit/emails.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { collectionOf } from "../kit/objects.ts";
import { errors } from "./errors.ts";
import { handler, instantText, requiredAddress } from "./request.ts";

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
export const addReject: Handler = handler(async ({ members, ...call }) => {
  const email = requiredAddress(members, "email");
  const subaccount = members.text("subaccount") || null;
  const entry = { email, subaccount, detail: members.text("comment") ?? "", createdAt: call.services.now() };
  await openRejects(call).put(idOf(email, subaccount), entry);
  return { email, added: true };
});

/** Lists all addresses, or the entry of one: `rejects/list`. */
export const listRejects: Handler = handler(async ({ members, ...call }) => {
  const email = (members.text("email") ?? "").toLowerCase();
  const subaccount = members.text("subaccount") ?? "";
  const isWanted = (entry: Entry): boolean =>
    (email === "" || entry.email === email) && (subaccount === "" || entry.subaccount === subaccount);
  return (await openRejects(call).all()).filter(isWanted).map(entryJson);
});

/** Removes an address: `rejects/delete`. */
export const deleteReject: Handler = handler(async ({ members, ...call }) => {
  const email = requiredAddress(members, "email");
  const subaccount = members.text("subaccount") || null;
  const isDeleted = await openRejects(call).remove(idOf(email, subaccount));
  if (!isDeleted) throw errors.unknownReject(email);
  return { email, deleted: true, subaccount };
});

function entryJson({ email, detail, subaccount, createdAt }: Entry): JsonObject {
  const at = instantText(createdAt);
  const shown = { created_at: at, last_event_at: at, expires_at: null, expired: false };
  return { email, reason, detail, ...shown, sender: null, subaccount };
}

/** Newest mails whose senders are listed. */
const bounds = { countMax: 1000, pageSize: 100 };

/** Validates the key: `users/ping`. */
export const ping: Handler = handler(() => "PONG!");

/** Validates the key: `users/ping2`. */
export const ping2: Handler = handler(() => ({ PING: "PONG!" }));

/** Describes the account, without statistics: `users/info`. */
export const getUser: Handler = handler(({ services }) => {
  const account = { username: "restante", public_id: "restante", reputation: 100, hourly_quota: 10_000, backlog: 0 };
  return { ...account, created_at: instantText(services.now()), stats: {} };
});

/** Lists the senders of the newest mails: `users/senders` and `senders/list`. */
export const listSenders: Handler = handler(async (call) => {
  const none = { hard_bounces: 0, soft_bounces: 0, rejects: 0, complaints: 0, unsubs: 0, opens: 0, clicks: 0 };
  return (await sendersOf(call)).map((one) => ({ ...one, ...none, unique_opens: 0, unique_clicks: 0 }));
});

/** Lists the domains of the senders of the newest mails, whose records are not checked: `senders/domains`. */
export const listDomains: Handler = handler(async (call) => {
  const valid = { valid: true, valid_after: null, error: null };
  const created = new Map((await sendersOf(call)).map((one) => [one.address.split("@").at(-1), one.created_at]));
  return Array.from(created, ([domain, at]) => {
    const times = { created_at: at, last_tested_at: at };
    return { domain, ...times, spf: valid, dkim: valid, verified_at: at, valid_signing: true };
  });
});

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
