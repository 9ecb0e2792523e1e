/**
 * Suppression list (https://developers.sparkpost.com/api/suppression-list/) and validation of addresses
 * (https://developers.sparkpost.com/api/recipient-validation/).
 */
import { derivedHex } from "../formats/callback-values.ts";
import { fieldOf } from "../formats/form.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { Members } from "../kit/members.ts";
import { collectionOf } from "../kit/objects.ts";
import { onProblem } from "../kit/rejection.ts";
import { jsonResponse, noContent, type ProviderResponse } from "../provider.ts";
import { rejection } from "./errors.ts";
import { missing, readMembers, results } from "./request.ts";

const types = ["transactional", "non_transactional"] as const;
type SuppressionType = (typeof types)[number];

/** Entry of the list. */
interface Suppression {
  readonly recipient: string;
  readonly type: SuppressionType;
  readonly description: string;
  readonly created: string;
  readonly updated: string;
}

const openSuppressions = collectionOf<Suppression>("suppression");

function idOf(recipient: string, type: SuppressionType): string {
  return derivedHex(64, recipient.toLowerCase(), type);
}

/** Returns whether an address gets no mail of a type. */
export async function isSuppressed(
  call: Pick<Call, "session">,
  recipient: string,
  isTransactional: boolean,
): Promise<boolean> {
  const type = isTransactional ? "transactional" : "non_transactional";
  return (await openSuppressions(call).find(idOf(recipient, type))) !== undefined;
}

/** Adds or changes the entry of an address: `PUT /suppression-list/:email`. */
export const putSuppression: Handler = async (call) =>
  putAll(call, entriesOf(call, readMembers(call.request), call.request.params["email"] ?? ""));

const entryCountMax = 1000;

/** Adds or changes entries: `PUT /suppression-list`. */
export const putSuppressions: Handler = async (call) => {
  const given = readMembers(call.request).objects("recipients");
  if (given.length === 0) missing("recipients");
  if (given.length > entryCountMax) throw rejection("invalidFormat", "recipients must have at most 1000 elements");
  const entries = given.flatMap((one) => entriesOf(call, one, one.text("recipient") ?? one.text("email") ?? ""));
  return putAll(call, entries);
};

async function putAll(call: Call, entries: readonly Suppression[]): Promise<ProviderResponse> {
  for (const one of entries) await openSuppressions(call).put(idOf(one.recipient, one.type), one);
  return results({ message: "Suppression list successfully updated" });
}

/** Reads one entry for its type, or with the flags of older libraries one for each. */
function entriesOf({ services }: Call, entry: Members, recipient: string): readonly Suppression[] {
  if (!isEmailAddress(recipient)) throw rejection("invalidFormat", `'${recipient}' is not a valid recipient`);
  const flagged = types.filter((type) => entry.flag(type) === true);
  const type = types.find((one) => one === entry.text("type"));
  const wanted = type === undefined ? flagged : [type];
  if (wanted.length === 0) throw rejection("missing", "type must be transactional or non_transactional");
  const now = timeText(services.now());
  const shared = { recipient: recipient.toLowerCase(), description: entry.text("description") ?? "" };
  return wanted.map((one) => ({ ...shared, type: one, created: now, updated: now }));
}

/** Lists entries, all or those of some types: `GET /suppression-list`. */
export const listSuppressions: Handler = async (call) => {
  const wanted = fieldOf(call.request.fields, "types")?.split(",");
  return listed((await openSuppressions(call).all()).filter(({ type }) => wanted?.includes(type) ?? true));
};

/** Returns the entries of an address: `GET /suppression-list/:email`. */
export const getSuppression: Handler = async (call) => listed(await entriesOfPath(call));

function listed(entries: readonly Suppression[]): ProviderResponse {
  const shown = entries.map(({ type, ...entry }) => ({ ...entry, source: "Manually Added", type, [type]: true }));
  return jsonResponse(200, { results: shown, links: [], total_count: shown.length });
}

/** Removes the entries of an address: `DELETE /suppression-list/:email`. */
export const deleteSuppression: Handler = async (call) => {
  for (const { recipient, type } of await entriesOfPath(call)) {
    await openSuppressions(call).remove(idOf(recipient, type));
  }
  return noContent;
};

/** Returns the entries of the address in the path, of the types that the request names; throws a rejection without any. */
async function entriesOfPath(call: Call): Promise<readonly Suppression[]> {
  const recipient = (call.request.params["email"] ?? "").toLowerCase();
  const given = call.request.method === "DELETE" ? readMembers(call.request).text("type") : null;
  const own = types.filter((type) => given === null || type === given);
  const entries = await Promise.all(own.map(async (type) => openSuppressions(call).find(idOf(recipient, type))));
  const found = entries.filter((one) => one !== undefined);
  if (found.length === 0) throw rejection("notFound", "Recipient could not be found");
  return found;
}

function timeText(instant: number): string {
  return new Date(instant).toISOString().replace(/\.\d+Z$/, "+00:00");
}

const roles = /^(?:abuse|admin|billing|contact|help|hello|info|noreply|no-reply|postmaster|sales|support|webmaster)@/;
const disposable = /@(?:10minutemail|guerrillamail|mailinator|temp-mail|trashmail|yopmail)\.[a-z]+$/;
const free = /@(?:aol|gmail|gmx|hotmail|icloud|outlook|proton|yahoo)\.[a-z]+$/;

/** Validates an address: `GET /recipient-validation/single/:email`. It is valid when a server receives its mail. */
export const validateRecipient: Handler = async ({ request, session }) => {
  const address = (request.params["email"] ?? "").toLowerCase();
  const opened = async (): Promise<null> => session.openMailbox(address).then(() => null);
  const reason = isEmailAddress(address)
    ? await onProblem("not_found", opened(), () => "Invalid Recipient")
    : "Invalid Syntax";
  const isRisky = roles.test(address) || disposable.test(address);
  const [result, confidence] = reason !== null ? ["undeliverable", 0] : isRisky ? ["risky", 50] : ["valid", 100];
  return results({
    result,
    valid: reason === null,
    ...(reason !== null && { reason }),
    is_role: roles.test(address),
    is_disposable: disposable.test(address),
    is_free: free.test(address),
    delivery_confidence: confidence,
  });
};
