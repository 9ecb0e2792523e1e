/** Suppressions of a message stream (https://postmarkapp.com/developer/api/suppressions-api). */
import { derivedHex } from "../formats/callback-values.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { collectionOf } from "../kit/objects.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { isStream } from "./account.ts";
import { rejection, texts } from "./errors.ts";
import { readFields } from "./request.ts";
import { instantText } from "./messages.ts";

/** Addresses of one request. */
const addressCountMax = 50;

/** Suppressed address of a stream. */
interface Suppression {
  readonly EmailAddress: string;
  readonly SuppressionReason: string;
  readonly Origin: string;
  readonly CreatedAt: string;
  readonly stream: string;
}

/** Creates suppressions: `POST /message-streams/:id/suppressions`. */
export const createSuppressions: Handler = async (call) =>
  changeAll(call, async ({ stream, address }) => {
    if (!isEmailAddress(address)) return { Status: "Failed", Message: "The email address is not valid." };
    await openSuppressions(call).put(derivedHex(64, stream, address), {
      EmailAddress: address,
      SuppressionReason: "ManualSuppression",
      Origin: "Customer",
      CreatedAt: instantText(call.services.now()),
      stream,
    });
    return { Status: "Suppressed", Message: null };
  });

/** Deletes suppressions: `POST /message-streams/:id/suppressions/delete`. */
export const deleteSuppressions: Handler = async (call) =>
  changeAll(call, async ({ stream, address }) => {
    await openSuppressions(call).remove(derivedHex(64, stream, address));
    return { Status: "Deleted", Message: null };
  });

/** Lists suppressions: `GET /message-streams/:id/suppressions/dump`. */
export const listSuppressions: Handler = async (call) => {
  const { fields, params } = call.request;
  const wanted = fieldOf(fields, "EmailAddress") ?? fieldOf(fields, "emailaddress");
  const own = (await openSuppressions(call).all()).filter(
    ({ stream, EmailAddress }) =>
      stream === params["id"] && (wanted === undefined || EmailAddress === wanted.toLowerCase()),
  );
  return jsonResponse(200, { Suppressions: own.map(({ stream: _stream, ...shown }) => shown) });
};

/** Returns the suppressed addresses by stream, as `stream address`. */
export async function suppressedAddresses(call: Pick<Call, "session">): Promise<ReadonlySet<string>> {
  const all = await openSuppressions(call).all();
  return new Set(all.map(({ stream, EmailAddress }) => `${stream} ${EmailAddress}`));
}

const openSuppressions = collectionOf<Suppression>("suppression");

/** Changes the suppression of each address of a request, in lower case. */
async function changeAll(
  { request }: Call,
  change: (entry: { readonly stream: string; readonly address: string }) => Promise<JsonObject>,
): Promise<ProviderResponse> {
  const stream = request.params["id"] ?? "";
  if (!isStream(stream)) throw rejection(1226, texts.streamMissing);
  const entries = readFields(request).objects("Suppressions");
  const addresses = entries.map((one) => (one.text("EmailAddress") ?? "").toLowerCase());
  if (addresses.length > addressCountMax) {
    throw rejection(403, `A request may have up to ${addressCountMax} suppressions.`);
  }
  const statuses = [];
  for (const address of addresses) statuses.push({ EmailAddress: address, ...(await change({ stream, address })) });
  return jsonResponse(200, { Suppressions: statuses });
}
