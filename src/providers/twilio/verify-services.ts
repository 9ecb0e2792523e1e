/** Services of Twilio Verify: the settings of verifications. */
import { randomBytes } from "node:crypto";
import type { FormFields } from "../../core/read-form.ts";
import { countOf, fieldOf } from "../formats/form.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Collection } from "../kit/objects.ts";
import type { Rejection } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { rejection, resourceNotFound } from "./errors.ts";
import { accountSidOf, pageMeta, serviceResource, servicesUrl } from "./verify-response.ts";

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

/** Decodes the form of a request to create or to change a service; absent fields keep the value of `service`. Throws the first error. */
function readVerifyService(form: FormFields, service: VerifyService): VerifyService {
  const text = (name: string, present: string): string => fieldOf(form, name) ?? present;
  const flag = (name: string, present: boolean): boolean => text(name, String(present)).toLowerCase() === "true";
  const friendlyName = text("FriendlyName", service.friendlyName);
  const codeLength = text("CodeLength", String(service.codeLength));
  if (friendlyName === "" || friendlyName.length > friendlyNameLengthMax) throw invalid("FriendlyName");
  if (!/^(?:[4-9]|10)$/.test(codeLength)) throw invalid("CodeLength");
  const ttsName = text("TtsName", service.ttsName);
  const defaultTemplateSid = fieldOf(form, "DefaultTemplateSid") ?? service.defaultTemplateSid;
  return {
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
}

function invalid(name: string): Rejection {
  return rejection(60200, `: ${name}`);
}

const pageSizeDefault = 50;
const pageSizeMax = 100;

/** Opens the services of a caller. */
export function openServices({ session }: Pick<Call, "session">): Collection<VerifyService> {
  return new Collection(session, "verify-service");
}

/** Creates a service: `POST /v2/Services`. */
export const createService: Handler = async (call) => {
  const { request, services } = call;
  const draft = defaultService(newVerifySid("VA"), accountSidOf(request), services.now());
  const service = readVerifyService(request.form, draft);
  await openServices(call).put(service.sid, service);
  return jsonResponse(201, serviceResource(service, servicesUrl(request.url)));
};

/** Lists services in the order of their creation: `GET /v2/Services`. */
export const listServices: Handler = async (call) => {
  const { fields, url } = call.request;
  const pageSize = Math.min(pageSizeMax, Math.max(1, countOf(fields, "PageSize", pageSizeDefault)));
  const page = countOf(fields, "Page", 0);
  const found = await openServices(call).page(page * pageSize);
  const base = servicesUrl(url);
  const meta = pageMeta({ key: "services", page, pageSize, hasMore: found.length > pageSize }, base);
  const services = found.slice(0, pageSize).map(({ value }) => serviceResource(value, base));
  return jsonResponse(200, { meta, services });
};

/** Returns a service: `GET /v2/Services/:service`. */
export const getService: Handler = async (call) =>
  jsonResponse(200, serviceResource(await open(call), servicesUrl(call.request.url)));

/** Changes a service: `POST /v2/Services/:service`. */
export const updateService: Handler = async (call) => {
  const { request, services } = call;
  const service = await open(call);
  const changed = readVerifyService(request.form, { ...service, updatedAt: services.now() });
  await openServices(call).put(service.sid, changed);
  return jsonResponse(200, serviceResource(changed, servicesUrl(request.url)));
};

/** Deletes a service: `DELETE /v2/Services/:service`. */
export const deleteService: Handler = async (call) => {
  if (!(await openServices(call).remove(call.request.params["service"] ?? ""))) throw resourceNotFound();
  return { status: 204, body: null };
};

async function open(call: Call): Promise<VerifyService> {
  const service = await openServices(call).find(call.request.params["service"] ?? "");
  if (service === undefined) throw resourceNotFound();
  return service;
}
