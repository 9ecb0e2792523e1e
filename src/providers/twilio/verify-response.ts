/** JSON resources and messages of Twilio Verify. */
import type { CodeMessage } from "../one-time-code.ts";
import type { ProviderRequest } from "../provider.ts";
import type { Verification } from "./verification.ts";
import type { VerificationRequest } from "./verify-request.ts";
import type { VerifyService } from "./verify-services.ts";

type Resource = Readonly<Record<string, unknown>>;

/** Position of a page in a list of Verify or Content. */
export interface ListPage {
  /** Name of the list in the response. */
  readonly key: "services" | "contents";
  /** Starts at 0. */
  readonly page: number;
  readonly pageSize: number;
  readonly hasMore: boolean;
}

/** Returns the `meta` of a page; `base` is the URL of the list. */
export function pageMeta({ key, page, pageSize, hasMore }: ListPage, base: string): Resource {
  const urlOf = (number: number): string => `${base}?PageSize=${pageSize}&Page=${number}`;
  return {
    page,
    page_size: pageSize,
    first_page_url: urlOf(0),
    previous_page_url: page === 0 ? null : urlOf(page - 1),
    url: urlOf(page),
    next_page_url: hasMore ? urlOf(page + 1) : null,
    key,
  };
}

/** Returns the URL of `/v2/Services` as the caller knows it. */
export function servicesUrl(requestUrl: string): string {
  return /^.*?\/v2\/Services/.exec(requestUrl)?.[0] ?? "";
}

/** Returns the resource of a service; `base` is {@link servicesUrl}. */
export function serviceResource(service: VerifyService, base: string): Resource {
  const { sid } = service;
  const url = `${base}/${sid}`;
  return {
    sid,
    account_sid: service.accountSid,
    friendly_name: service.friendlyName,
    code_length: service.codeLength,
    lookup_enabled: service.lookupEnabled,
    psd2_enabled: service.psd2Enabled,
    skip_sms_to_landlines: service.skipSmsToLandlines,
    dtmf_input_required: service.dtmfInputRequired,
    tts_name: service.ttsName === "" ? null : service.ttsName,
    do_not_share_warning_enabled: service.doNotShareWarningEnabled,
    custom_code_enabled: service.customCodeEnabled,
    push: { include_date: false, apn_credential_sid: null, fcm_credential_sid: null },
    totp: { issuer: service.friendlyName, time_step: 30, code_length: 6, skew: 1 },
    default_template_sid: service.defaultTemplateSid,
    whatsapp: { msg_service_sid: null, from: null },
    passkeys: null,
    verify_event_subscription_enabled: false,
    date_created: isoSeconds(service.createdAt),
    date_updated: isoSeconds(service.updatedAt),
    url,
    links: { verifications: `${url}/Verifications`, verification_checks: `${url}/VerificationCheck` },
  };
}

/** Returns the resource of a verification; `base` is {@link servicesUrl}. */
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

/** Returns `2026-11-20T10:42:07Z` for milliseconds since the Unix epoch. */
function isoSeconds(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

const unknownAccount = `AC${"0".repeat(32)}`;

/** Returns the account SID that is the user name of the request; one of zeros when it is the SID of an API key. */
export function accountSidOf({ headers }: Pick<ProviderRequest, "headers">): string {
  const credentials = /^basic +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const user = Buffer.from(credentials, "base64").toString("utf8").split(":", 1)[0] ?? "";
  return /^AC[0-9a-f]{32}$/i.test(user) ? user : unknownAccount;
}

const smsSender = "Verify";
const mailSender = "verify@twilio.example";

/** Returns the message that carries the code of a verification; that of a call contains the spoken text. */
export function codeMessageOf(
  { sid, to, code }: Verification,
  { channel, customFriendlyName, appHash, from, fromName }: VerificationRequest,
  { sid: service, friendlyName, doNotShareWarningEnabled }: VerifyService,
): CodeMessage {
  const isEmail = channel === "email";
  const name = customFriendlyName ?? friendlyName;
  const subject = `Your ${name === "" ? "" : `${name} `}verification code`;
  const sentence = `${subject} is: ${code}`;
  const warning = ". Don't share this code with anyone; our employees will never ask for the code";
  const isWarned = doNotShareWarningEnabled && channel === "sms";
  const hash = channel === "sms" ? appHash : null;
  const text = isWarned ? sentence + warning : sentence;
  return {
    to,
    isEmail,
    name: fromName ?? (name === "" ? "Verify" : name),
    from: isEmail ? (from ?? mailSender) : smsSender,
    subject,
    text: hash === null ? text : `<#> ${text}\n${hash}`,
    providerId: sid,
    metadata: { channel, service },
  };
}
