/** Requests to Twilio Verify. */
import { parsePhoneNumber } from "../../core/phone-number.ts";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, readJson } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import type { Rejection } from "../kit/rejection.ts";
import { rejection } from "./errors.ts";
import type { VerifyChannel } from "./verification.ts";

/** Request to start a verification, or to deliver its code again. */
export interface VerificationRequest {
  /** Number in E.164, or address. */
  readonly to: string;
  readonly channel: VerifyChannel;
  readonly customCode: string | null;
  readonly customFriendlyName: string | null;
  readonly appHash: string | null;
  /** Sender of a mail; null for the default. */
  readonly from: string | null;
  readonly fromName: string | null;
}

/** Request to check a code. */
export interface CheckRequest {
  /** Number, address or SID of the verification. */
  readonly subject: string;
  readonly code: string;
}

const channels: readonly string[] = ["sms", "call", "whatsapp", "email"] satisfies readonly VerifyChannel[];
const friendlyNameLengthMax = 64;
const codePattern = /^[0-9A-Za-z]{4,10}$/;
const appHashLength = 11;

/** Optional fields; null is an absent one. */
const rules: readonly (readonly [name: string, isValid: (value: string | null) => boolean])[] = [
  ["CustomCode", (value) => value === null || codePattern.test(value)],
  ["CustomFriendlyName", (value) => value === null || value.length <= friendlyNameLengthMax],
  ["AppHash", (value) => value === null || value.length === appHashLength],
];

/** Returns the number in E.164 or the address in `To`; undefined for anything else. */
export function readRecipient(text: string): string | undefined {
  return isEmailAddress(text) ? text : parsePhoneNumber(text);
}

/** Decodes the form of a request to start a verification and throws the first error. */
export function readVerification(form: FormFields): VerificationRequest {
  const given = fieldOf(form, "To") ?? "";
  const channel = (fieldOf(form, "Channel") ?? "").toLowerCase();
  if (!channels.includes(channel)) throw invalid(": Channel");
  const to = readRecipient(given);
  if (to === undefined || isEmailAddress(to) !== (channel === "email")) throw invalidTo(given);
  const broken = rules.find(([name, isValid]) => !isValid(fieldOf(form, name) ?? null));
  if (broken !== undefined) throw invalid(`: ${broken[0]}`);
  const sender = readSender(fieldOf(form, "ChannelConfiguration"));
  if (sender === undefined) throw invalid(": ChannelConfiguration");
  const [customCode = null, customFriendlyName = null, appHash = null] = rules.map(([name]) => fieldOf(form, name));
  return { to, channel: channel as VerifyChannel, customCode, customFriendlyName, appHash, ...sender };
}

/** Decodes the form of a request to check a code. */
export function readCheck(form: FormFields): CheckRequest {
  const code = fieldOf(form, "Code") ?? "";
  if (!codePattern.test(code)) throw invalid(": Code");
  const sid = fieldOf(form, "VerificationSid");
  if (sid !== undefined) return { subject: sid, code };
  const given = fieldOf(form, "To") ?? "";
  const to = readRecipient(given);
  if (to === undefined) throw invalidTo(given);
  return { subject: to, code };
}

/** Decodes the status that an application sets. */
export function readStatus(form: FormFields): "approved" | "canceled" {
  const status = fieldOf(form, "Status");
  if (status !== "approved" && status !== "canceled") throw invalid(": Status");
  return status;
}

/** Returns the sender in `ChannelConfiguration`, a JSON object; undefined when it is invalid. */
function readSender(text: string | undefined): Pick<VerificationRequest, "from" | "fromName"> | undefined {
  if (text === undefined) return { from: null, fromName: null };
  const value = readJson(Buffer.from(text));
  if (!isJsonObject(value)) return undefined;
  const { from = null, from_name: fromName = null } = value;
  const isFrom = from === null || (typeof from === "string" && isEmailAddress(from));
  const isName = fromName === null || typeof fromName === "string";
  return isFrom && isName ? { from, fromName } : undefined;
}

function invalid(value: string): Rejection {
  return rejection(60200, value);
}

/** Returns the error of a recipient. */
export function invalidTo(to: string): Rejection {
  return invalid(` \`To\`: ${to}`);
}
