/** List of addresses that get no mail: https://mailchimp.com/developer/transactional/api/rejects/ */
import { derivedHex } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
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
