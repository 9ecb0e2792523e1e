/** Services of Twilio Verify: the settings of verifications. */
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import type { Handler } from "../kit/endpoints.ts";
import type { Rejection } from "../kit/rejection.ts";
import { rejection } from "./errors.ts";
import { accountSidOf, isoSeconds, newSid, Resources, type Resource } from "./resources.ts";

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
