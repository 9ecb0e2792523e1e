/** Requests to Twilio Verify, its resources and its messages. */
import { parsePhoneNumber } from "../../core/phone-number.ts";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, readJson } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import type { Rejection } from "../kit/rejection.ts";
import { appHashLength, codePattern, withAppHash, type CodeMessage } from "../one-time-code.ts";
import { rejection } from "./errors.ts";
import { isoSeconds, type Resource } from "./resources.ts";
import type { Verification, VerifyChannel } from "./verifications.ts";
import type { VerifyService } from "./verify-services.ts";

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
interface CheckRequest {
  /** Number, address or SID of the verification. */
  readonly subject: string;
  readonly code: string;
}

const channels: readonly string[] = ["sms", "call", "whatsapp", "email"] satisfies readonly VerifyChannel[];
const friendlyNameLengthMax = 64;

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

/** Returns the resource of a verification; `base` is the URL of the services. */
export function verificationResource(verification: Verification, base: string): Resource {
  const { sid, serviceSid, sends } = verification;
  return {
    ...shared(verification),
    lookup: {},
    send_code_attempts: sends.map(({ sid: attempt_sid, channel, at }) => ({
      attempt_sid,
      channel: channel.toUpperCase(),
      time: new Date(at).toISOString(),
    })),
    sna: null,
    url: `${base}/${serviceSid}/Verifications/${sid}`,
  };
}

/** Returns the resource of a check. */
export function checkResource(verification: Verification): Resource {
  return { ...shared(verification), sna_attempts_error_codes: [] };
}

function shared({ sid, serviceSid, accountSid, to, status, sends, createdAt, updatedAt }: Verification): Resource {
  return {
    sid,
    service_sid: serviceSid,
    account_sid: accountSid,
    to,
    channel: sends.at(-1)?.channel ?? "sms",
    status,
    valid: status === "approved",
    amount: null,
    payee: null,
    date_created: isoSeconds(createdAt),
    date_updated: isoSeconds(updatedAt),
  };
}

const smsSender = "Verify";
const mailSender = "verify@twilio.example";

/** Returns the message that carries the code of a verification; that of a call contains the spoken text. */
export function codeMessageOf(
  { sid, to, code }: Verification,
  { channel, customFriendlyName, appHash, from, fromName }: VerificationRequest,
  { sid: service, settings }: VerifyService,
): CodeMessage {
  const isEmail = channel === "email";
  const name = customFriendlyName ?? settings.friendly_name;
  const subject = `Your ${name === "" ? "" : `${name} `}verification code`;
  const sentence = `${subject} is: ${code}`;
  const warning = ". Don't share this code with anyone; our employees will never ask for the code";
  const isWarned = settings.do_not_share_warning_enabled && channel === "sms";
  const text = isWarned ? sentence + warning : sentence;
  return {
    to,
    isEmail,
    name: fromName ?? (name === "" ? "Verify" : name),
    from: isEmail ? (from ?? mailSender) : smsSender,
    subject,
    text: withAppHash(text, channel === "sms" ? appHash : null),
    providerId: sid,
    metadata: { channel, service },
  };
}
