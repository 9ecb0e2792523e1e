/** Suppression list: https://developers.sparkpost.com/api/suppression-list/ */
import { derivedHex } from "../formats/callback-values.ts";
import { fieldOf } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { Members } from "../kit/members.ts";
import { collectionOf } from "../kit/objects.ts";
import { jsonResponse, noContent } from "../provider.ts";
import { rejection } from "./errors.ts";
import { readMembers } from "./request.ts";

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
export const putSuppression: Handler = async (call) => {
  await put(call, readMembers(call.request), call.request.params["email"] ?? "");
  return jsonResponse(200, { results: { message: "Suppression list successfully updated" } });
};

const entryCountMax = 1000;

/** Adds or changes entries: `PUT /suppression-list`. */
export const putSuppressions: Handler = async (call) => {
  const entries = readMembers(call.request).objects("recipients");
  if (entries.length === 0) throw rejection("missing", "recipients is a required field");
  if (entries.length > entryCountMax) throw rejection("invalidFormat", "recipients must have at most 1000 elements");
  for (const one of entries) entriesOf(call, one, one.text("recipient") ?? one.text("email") ?? "");
  for (const one of entries) await put(call, one, one.text("recipient") ?? one.text("email") ?? "");
  return jsonResponse(200, { results: { message: "Suppression list successfully updated" } });
};

async function put(call: Call, entry: Members, recipient: string): Promise<void> {
  for (const one of entriesOf(call, entry, recipient)) {
    await openSuppressions(call).put(idOf(one.recipient, one.type), one);
  }
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
  const all = (await openSuppressions(call).all()).filter(({ type }) => wanted?.includes(type) ?? true);
  return jsonResponse(200, { results: all.map(entryJson), links: [], total_count: all.length });
};

/** Returns the entries of an address: `GET /suppression-list/:email`. */
export const getSuppression: Handler = async (call) => {
  const found = await entriesOfPath(call);
  return jsonResponse(200, { results: found.map(entryJson), links: [], total_count: found.length });
};

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
  const found: Suppression[] = [];
  for (const type of types.filter((one) => given === null || one === given)) {
    const entry = await openSuppressions(call).find(idOf(recipient, type));
    if (entry !== undefined) found.push(entry);
  }
  if (found.length === 0) throw rejection("notFound", "Recipient could not be found");
  return found;
}

function entryJson({ type, ...entry }: Suppression): JsonObject {
  return { ...entry, source: "Manually Added", type, [type]: true };
}

function timeText(instant: number): string {
  return new Date(instant).toISOString().replace(/\.\d+Z$/, "+00:00");
}
