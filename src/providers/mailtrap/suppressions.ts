/** Suppressions: https://docs.mailtrap.io/developers/email-sending/suppressions */
import { derivedHex } from "../formats/callback-values.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { uuidOfHash } from "../formats/uuid.ts";
import type { Handler } from "../kit/endpoints.ts";
import { collectionOf } from "../kit/objects.ts";
import { jsonResponse } from "../provider.ts";
import { errors } from "./errors.ts";
import { readMailtrapObject } from "./request.ts";

const types = ["hard bounce", "spam complaint", "unsubscription", "manual import"];
const streams = ["transactional", "bulk"];
const listCountMax = 1000;

/** Facts about the mail that caused a suppression, which is unknown here. */
const unknownMail: JsonObject = Object.fromEntries(
  (
    "bounce_category category client_ip created_at esp_response esp_server_type outgoing_ip recipient_mx_name " +
    "sender_email subject"
  )
    .split(" ")
    .map((name) => [`message_${name}`, null]),
);

/** Suppressed address as it is stored and shown. */
interface Suppression {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly email: string;
  readonly sending_stream: string;
  readonly domain_name: string | null;
}

const openSuppressions = collectionOf<Suppression>("suppression");

/** Lists suppressions, newest first: `GET /api/accounts/:account/suppressions`. */
export const listSuppressions: Handler = async (call) => {
  const email = fieldOf(call.request.fields, "email")?.toLowerCase();
  const all = (await openSuppressions(call).all()).filter((one) => email === undefined || one.email === email);
  return jsonResponse(200, all.toReversed().slice(0, listCountMax).map(shownOf));
};

/** Suppresses an address: `POST /api/accounts/:account/suppressions`. */
export const createSuppression: Handler = async (call) => {
  const { email, type = "manual import", sending_stream: stream } = readMailtrapObject(call.request.body);
  if (typeof email !== "string" || !isEmailAddress(email)) throw errors.invalidField("email", "is invalid");
  if (typeof type !== "string" || !types.includes(type))
    throw errors.invalidField("type", "is not included in the list");
  if (typeof stream !== "string" || !streams.includes(stream)) {
    throw errors.invalidField("sending_stream", "is not included in the list");
  }
  const address = email.toLowerCase();
  const id = uuidOfHash(derivedHex(64, address, stream));
  const created_at = new Date(call.services.now()).toISOString();
  const created = { id, type, created_at, email: address, sending_stream: stream, domain_name: null };
  await openSuppressions(call).put(id, created);
  return jsonResponse(201, { data: shownOf(created) });
};

/** Removes a suppression, and returns it: `DELETE /api/accounts/:account/suppressions/:id`. */
export const deleteSuppression: Handler = async (call) => {
  const id = call.request.params["id"] ?? "";
  const suppressions = openSuppressions(call);
  const found = await suppressions.open(id, errors.notFound);
  await suppressions.remove(id);
  return jsonResponse(200, shownOf(found));
};

function shownOf(suppression: Suppression): JsonObject {
  return { ...suppression, ...unknownMail };
}
