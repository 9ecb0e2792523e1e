/** Services of Twilio Verify: the settings of verifications. */
import { randomBytes } from "node:crypto";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "../formats/form.ts";
import type { ProviderObject } from "../email.ts";
import { twilioError } from "./errors.ts";
import type { TwilioReading } from "./request.ts";

/** Kind of the objects that hold services. */
export const serviceKind = "verify-service";

/** Settings of a service. */
export interface VerifyService {
  /** `VA` and 32 hex digits. */
  readonly sid: string;
  readonly accountSid: string;
  /** Name in messages; "" for a service that was not created here. */
  readonly friendlyName: string;
  readonly codeLength: number;
  readonly lookupEnabled: boolean;
  readonly skipSmsToLandlines: boolean;
  readonly dtmfInputRequired: boolean;
  readonly ttsName: string;
  readonly psd2Enabled: boolean;
  readonly doNotShareWarningEnabled: boolean;
  readonly customCodeEnabled: boolean;
  readonly defaultTemplateSid: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

const codeLengthDefault = 6;
const friendlyNameLengthMax = 32;

/** Returns a random SID of Verify: `VA`, `VE` or `VL` and 32 hex digits. */
export function newVerifySid(prefix: "VA" | "VE" | "VL"): string {
  return prefix + randomBytes(16).toString("hex");
}

/** Returns whether a text is the SID of a service. */
export function isServiceSid(text: string): boolean {
  return /^VA[0-9a-f]{32}$/i.test(text);
}

/** Returns a service without settings, as for a SID that was not created here. */
export function defaultService(sid: string, accountSid: string, now: number): VerifyService {
  return {
    sid,
    accountSid,
    friendlyName: "",
    codeLength: codeLengthDefault,
    lookupEnabled: false,
    skipSmsToLandlines: false,
    dtmfInputRequired: true,
    ttsName: "",
    psd2Enabled: false,
    doNotShareWarningEnabled: false,
    customCodeEnabled: false,
    defaultTemplateSid: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** Returns the service that an object holds. */
export function serviceOf({ value }: Pick<ProviderObject, "value">): VerifyService {
  return value as VerifyService;
}

/** Decodes the form of a request to create or to change a service; absent fields keep the value of `service`. */
export function readVerifyService(form: FormFields, service: VerifyService): TwilioReading<VerifyService> {
  const text = (name: string, present: string): string => fieldOf(form, name) ?? present;
  const flag = (name: string, present: boolean): boolean => text(name, String(present)).toLowerCase() === "true";
  const friendlyName = text("FriendlyName", service.friendlyName);
  const codeLength = text("CodeLength", String(service.codeLength));
  if (friendlyName === "" || friendlyName.length > friendlyNameLengthMax) return invalid("FriendlyName");
  if (!/^(?:[4-9]|10)$/.test(codeLength)) return invalid("CodeLength");
  const ttsName = text("TtsName", service.ttsName);
  const defaultTemplateSid = fieldOf(form, "DefaultTemplateSid") ?? service.defaultTemplateSid;
  const request = {
    ...service,
    friendlyName,
    codeLength: Number(codeLength),
    lookupEnabled: flag("LookupEnabled", service.lookupEnabled),
    skipSmsToLandlines: flag("SkipSmsToLandlines", service.skipSmsToLandlines),
    dtmfInputRequired: flag("DtmfInputRequired", service.dtmfInputRequired),
    ttsName,
    psd2Enabled: flag("Psd2Enabled", service.psd2Enabled),
    doNotShareWarningEnabled: flag("DoNotShareWarningEnabled", service.doNotShareWarningEnabled),
    customCodeEnabled: flag("CustomCodeEnabled", service.customCodeEnabled),
    defaultTemplateSid,
  };
  return { request };
}

function invalid(name: string): { readonly error: ReturnType<typeof twilioError> } {
  return { error: twilioError(60200, `: ${name}`) };
}
