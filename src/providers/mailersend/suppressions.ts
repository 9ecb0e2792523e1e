/** Suppression lists: https://developers.mailersend.com/api/v1/email/recipients */
import { matchesPattern } from "../../core/mail-addresses.ts";
import type { DraftMailbox } from "../email.ts";
import { derivedHex } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { collectionOf } from "../kit/objects.ts";
import { jsonResponse } from "../provider.ts";
import { invalid, notFound, rejection } from "./errors.ts";
import { readMailerSendObject, requiredText } from "./request.ts";
import { domainOf, instantText, pageOf } from "./response.ts";

/** Lists by the end of their path, and the reason that responses name for a recipient on them. */
const reasons = {
  blocklist: "blocklisted",
  "hard-bounces": "hard_bounced",
  "spam-complaints": "spam_complaint",
  unsubscribes: "unsubscribed",
  "on-hold-list": "on_hold",
} as const;

type ListName = keyof typeof reasons;

/** Suppressed address, or pattern of addresses, in lower case. */
interface Suppression {
  readonly id: string;
  readonly list: ListName;
  readonly pattern: string;
  readonly createdAt: number;
}

const entryCountMax = 1000;
const patternLengthMax = 200;

const openSuppressions = collectionOf<Suppression>("suppression");

function listOf({ request }: Pick<Call, "request">): ListName {
  const name = request.params["list"] ?? "";
  if (!Object.hasOwn(reasons, name)) throw notFound();
  return name as ListName;
}

/** Lists suppressions: `GET /suppressions/:list`. */
export const listSuppressions: Handler = async (call) => {
  const list = listOf(call);
  const own = (await openSuppressions(call).all()).filter((one) => one.list === list);
  return pageOf(call.request, own.map(itemOf));
};

/** Adds recipients, and to the blocklist also patterns: `POST /suppressions/:list`. */
export const addSuppressions: Handler = async (call) => {
  const list = listOf(call);
  if (list === "on-hold-list") throw rejection(405, "The POST method is not supported for this route.");
  const body = readMailerSendObject(call.request.body);
  const isBlocklist = list === "blocklist";
  if (!isBlocklist && typeof body["domain_id"] !== "string") {
    throw invalid(["domain_id", requiredText("domain_id")]);
  }
  const recipients = textsOf(body, "recipients");
  const patterns = isBlocklist ? textsOf(body, "patterns") : [];
  if (recipients.length + patterns.length === 0) throw invalid(["recipients", requiredText("recipients")]);
  const wrong = recipients.findIndex((address) => !isEmailAddress(address));
  if (wrong !== -1) {
    const field = `recipients.${wrong}`;
    throw invalid([field, `The ${field} must be a valid email address. #MS42208`]);
  }
  const added = [...recipients, ...patterns.map((one) => one.replaceAll(".*", "*"))].map((text): Suppression => {
    const pattern = text.toLowerCase();
    return { id: derivedHex(24, list, pattern), list, pattern, createdAt: call.services.now() };
  });
  for (const one of added) await openSuppressions(call).put(one.id, one);
  return jsonResponse(201, { data: added.map(itemOf) });
};

/** Removes suppressions by `ids`, or `all` of the list: `DELETE /suppressions/:list`. */
export const removeSuppressions: Handler = async (call) => {
  const list = listOf(call);
  const body = readMailerSendObject(call.request.body);
  const suppressions = openSuppressions(call);
  const own = (await suppressions.all()).filter((one) => one.list === list);
  const ids = body["all"] === true ? own.map(({ id }) => id) : textsOf(body, "ids");
  if (body["all"] !== true && ids.length === 0) throw invalid(["ids", requiredText("ids")]);
  const unknown = ids.findIndex((id) => own.every((one) => one.id !== id));
  if (unknown !== -1) throw invalid([`ids.${unknown}`, `The selected ids.${unknown} is invalid.`]);
  for (const id of ids) await suppressions.remove(id);
  return { status: 200, body: null };
};

function textsOf(body: JsonObject, field: string): readonly string[] {
  const value = body[field] ?? [];
  const isValid = (one: unknown): one is string =>
    typeof one === "string" && one !== "" && one.length <= patternLengthMax;
  if (!Array.isArray(value) || value.length > entryCountMax || !value.every(isValid)) {
    throw invalid([field, `The ${field} must be an array.`]);
  }
  return value;
}

function itemOf({ id, list, pattern, createdAt }: Suppression): JsonObject {
  const at = instantText(createdAt);
  const domain = domainOf(pattern, createdAt);
  if (list === "blocklist") {
    const type = pattern.includes("*") ? "pattern" : "exact";
    return { id, type, pattern, domain, created_at: at, updated_at: at };
  }
  const recipient = {
    id: derivedHex(24, pattern),
    email: pattern,
    created_at: at,
    updated_at: at,
    deleted_at: "",
    domain,
  };
  return { id, reason: "Added manually", readable_reason: "", created_at: at, recipient };
}

/** Recipient that is on suppression lists. */
export interface SuppressedRecipient {
  readonly email: string;
  readonly name: string;
  readonly reasons: readonly string[];
}

/** Returns the recipients that are on suppression lists, in order. */
export async function findSuppressed(
  call: Pick<Call, "session">,
  recipients: readonly DraftMailbox[],
): Promise<readonly SuppressedRecipient[]> {
  const all = await openSuppressions(call).all();
  if (all.length === 0) return [];
  return recipients.flatMap(({ address, name }) => {
    const own = all.filter(({ pattern }) => matchesPattern(pattern, address));
    const found = [...new Set(own.map(({ list }) => reasons[list]))];
    return found.length === 0 ? [] : [{ email: address, name, reasons: found }];
  });
}
