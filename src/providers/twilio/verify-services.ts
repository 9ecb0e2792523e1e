/** Shapes of Twilio Verify: services with the settings of verifications, and verifications. */
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import type { Handler } from "../kit/endpoints.ts";
import type { Rejection } from "../kit/rejection.ts";
import { rejection } from "./errors.ts";
import { accountSidOf, isoSeconds, newSid, Resources, type Resource } from "./resources.ts";
import { parsePhoneNumber } from "../../core/phone-number.ts";
import { readJsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { appHashLength, codePattern, withAppHash, type CodeMessage } from "../one-time-code.ts";
import type { Verification, VerifyChannel } from "./verifications.ts";

/** Settings of a service that was not created here; the fields of requests have the same names in camel case. */
const defaultSettings = {
  /** Name in messages. */
  friendly_name: "",
  code_length: 6,
  lookup_enabled: false,
  psd2_enabled: false,
  skip_sms_to_landlines: false,
  dtmf_input_required: true,
  tts_name: null as string | null,
  do_not_share_warning_enabled: false,
  custom_code_enabled: false,
  default_template_sid: null as string | null,
};

/** Settings of a service, by their names in its resource. */
type Settings = Readonly<typeof defaultSettings>;

/** Service. */
export interface VerifyService {
  /** `VA` and 32 hex digits. */
  readonly sid: string;
  readonly accountSid: string;
  readonly settings: Settings;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

const friendlyNameLengthMax = 32;

/** Returns a service without settings, as for a SID that was not created here. */
export function defaultService(sid: string, accountSid: string, now: number): VerifyService {
  return { sid, accountSid, settings: defaultSettings, createdAt: now, updatedAt: now };
}

/** Decodes the form of a request to create or to change a service; absent fields keep their values. Throws the first error. */
function readSettings(form: FormFields, present: Settings): Settings {
  const entries = Object.entries(present).map(([name, value]) => {
    const field = name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const text = fieldOf(form, field);
    if (text === undefined) return [name, value];
    if (typeof value === "boolean") return [name, text.toLowerCase() === "true"];
    return [name, typeof value === "number" ? readCodeLength(text) : text];
  });
  const settings = Object.fromEntries(entries) as Settings;
  const { friendly_name: name } = settings;
  if (name === "" || name.length > friendlyNameLengthMax) throw invalid("FriendlyName");
  if (Number.isNaN(settings.code_length)) throw invalid("CodeLength");
  return settings;
}

/** Returns a number of digits; NaN for one that services cannot have. */
function readCodeLength(text: string): number {
  return /^(?:[4-9]|10)$/.test(text) ? Number(text) : Number.NaN;
}

function invalid(name: string): Rejection {
  return rejection(60200, `: ${name}`);
}

/** Services of callers. */
export const services: Resources<VerifyService> = new Resources<VerifyService>({
  kind: "verify-service",
  key: "services",
  param: "service",
  path: "/v2/Services",
  pageSizeMax: 100,
  resource: serviceResource,
});

function serviceResource({ sid, accountSid, settings, createdAt, updatedAt }: VerifyService, url: string): Resource {
  const { default_template_sid, ...others } = settings;
  return {
    sid,
    account_sid: accountSid,
    ...others,
    push: { include_date: false, apn_credential_sid: null, fcm_credential_sid: null },
    totp: { issuer: settings.friendly_name, time_step: 30, code_length: 6, skew: 1 },
    default_template_sid,
    whatsapp: { msg_service_sid: null, from: null },
    passkeys: null,
    verify_event_subscription_enabled: false,
    date_created: isoSeconds(createdAt),
    date_updated: isoSeconds(updatedAt),
    url,
    links: { verifications: `${url}/Verifications`, verification_checks: `${url}/VerificationCheck` },
  };
}

/** Creates a service: `POST /v2/Services`. */
export const createService: Handler = async (call) => {
  const draft = defaultService(newSid("VA"), accountSidOf(call.request), call.services.now());
  return services.put(call, { ...draft, settings: readSettings(call.request.form, draft.settings) }, 201);
};

/** Lists services: `GET /v2/Services`. */
export const listServices: Handler = services.list;

/** Returns a service: `GET /v2/Services/:service`. */
export const getService: Handler = services.get;

/** Changes a service: `POST /v2/Services/:service`. */
export const updateService: Handler = async (call) => {
  const service = await services.open(call);
  const settings = readSettings(call.request.form, service.settings);
  return services.put(call, { ...service, settings, updatedAt: call.services.now() }, 200);
};

/** Deletes a service: `DELETE /v2/Services/:service`. */
export const deleteService: Handler = services.remove;

// Requests, resources and messages of verifications.

/** Request to start a verification, or to deliver its code again. */
interface VerificationRequest {
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
const shownNameLengthMax = 64;

/** Optional fields; null is an absent one. */
const rules: readonly (readonly [name: string, isValid: (value: string | null) => boolean])[] = [
  ["CustomCode", (value) => value === null || codePattern.test(value)],
  ["CustomFriendlyName", (value) => value === null || value.length <= shownNameLengthMax],
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
  if (!channels.includes(channel)) throw invalid("Channel");
  const to = readRecipient(given);
  if (to === undefined || isEmailAddress(to) !== (channel === "email")) throw invalidTo(given);
  const broken = rules.find(([name, isValid]) => !isValid(fieldOf(form, name) ?? null));
  if (broken !== undefined) throw invalid(broken[0]);
  const sender = readSender(fieldOf(form, "ChannelConfiguration"));
  if (sender === undefined) throw invalid("ChannelConfiguration");
  const [customCode = null, customFriendlyName = null, appHash = null] = rules.map(([name]) => fieldOf(form, name));
  return { to, channel: channel as VerifyChannel, customCode, customFriendlyName, appHash, ...sender };
}

/** Decodes the form of a request to check a code. */
export function readCheck(form: FormFields): CheckRequest {
  const code = fieldOf(form, "Code") ?? "";
  if (!codePattern.test(code)) throw invalid("Code");
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
  if (status !== "approved" && status !== "canceled") throw invalid("Status");
  return status;
}

/** Returns the sender in `ChannelConfiguration`, a JSON object; undefined when it is invalid. */
function readSender(text: string | undefined): Pick<VerificationRequest, "from" | "fromName"> | undefined {
  if (text === undefined) return { from: null, fromName: null };
  const value = readJsonObject(text);
  if (value === undefined) return undefined;
  const { from = null, from_name: fromName = null } = value;
  const isFrom = from === null || (typeof from === "string" && isEmailAddress(from));
  const isName = fromName === null || typeof fromName === "string";
  return isFrom && isName ? { from, fromName } : undefined;
}

/** Returns the error of a recipient. */
export function invalidTo(to: string): Rejection {
  return rejection(60200, ` \`To\`: ${to}`);
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
