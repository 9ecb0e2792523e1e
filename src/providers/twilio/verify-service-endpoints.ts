import type { EmailSession } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { jsonResponse, type ProviderEndpoint, type ProviderRequest, type ProviderServices } from "../provider.ts";
import { twilioErrorResponse } from "./errors.ts";
import { accountSidOf, resourceNotFound } from "./verify-call.ts";
import { servicePage, serviceResource, servicesUrl } from "./verify-response.ts";
import {
  defaultService,
  newVerifySid,
  readVerifyService,
  serviceKind,
  serviceOf,
  type VerifyService,
} from "./verify-service.ts";

const collection = "/v2/Services";
const item = "/v2/Services/:service";
const pageSizeDefault = 50;
const pageSizeMax = 100;

/** Creates a service: `POST /v2/Services`. */
const create: ProviderEndpoint = {
  method: "POST",
  path: collection,
  summary: "Create a service of the Twilio Verify-compatible API.",
  successes: [{ status: 201, description: "Twilio's service resource." }],
  handle: async (request, services) => {
    const { objects } = await services.authenticate(request.key, "send");
    const draft = defaultService(newVerifySid("VA"), accountSidOf(request), services.now());
    const { request: service, error } = readVerifyService(request.form, draft);
    if (error !== undefined) return twilioErrorResponse(error);
    await objects.put(serviceKind, service.sid, { value: service });
    return jsonResponse(201, serviceResource(service, servicesUrl(request.url)));
  },
};

/** Lists services in the order of their creation: `GET /v2/Services`. */
const list: ProviderEndpoint = {
  method: "GET",
  path: collection,
  summary: "List services of the Twilio Verify-compatible API.",
  successes: [],
  handle: async (request, services) => {
    const { objects } = await services.authenticate(request.key, "read");
    const number = (name: string, absent: number): number => {
      const text = fieldOf(request.fields, name) ?? "";
      return /^\d{1,4}$/.test(text) ? Number(text) : absent;
    };
    const pageSize = Math.min(pageSizeMax, Math.max(1, number("PageSize", pageSizeDefault)));
    const page = number("Page", 0);
    const found = await objects.list(serviceKind, page * pageSize);
    const shown = found.slice(0, pageSize).map(serviceOf);
    const position = { page, pageSize, hasMore: found.length > pageSize };
    return jsonResponse(200, servicePage(shown, position, servicesUrl(request.url)));
  },
};

/** Returns a service: `GET /v2/Services/:service`. */
const fetch: ProviderEndpoint = {
  method: "GET",
  path: item,
  summary: "Fetch a service of the Twilio Verify-compatible API.",
  successes: [],
  handle: async (request, services) => {
    const { service } = await open(request, services, "read");
    if (service === undefined) return resourceNotFound(request);
    return jsonResponse(200, serviceResource(service, servicesUrl(request.url)));
  },
};

/** Changes a service: `POST /v2/Services/:service`. */
const update: ProviderEndpoint = {
  method: "POST",
  path: item,
  summary: "Update a service of the Twilio Verify-compatible API.",
  successes: [],
  handle: async (request, services) => {
    const { objects, service } = await open(request, services, "send");
    if (service === undefined) return resourceNotFound(request);
    const { request: changed, error } = readVerifyService(request.form, { ...service, updatedAt: services.now() });
    if (error !== undefined) return twilioErrorResponse(error);
    await objects.put(serviceKind, service.sid, { value: changed });
    return jsonResponse(200, serviceResource(changed, servicesUrl(request.url)));
  },
};

/** Deletes a service: `DELETE /v2/Services/:service`. */
const remove: ProviderEndpoint = {
  method: "DELETE",
  path: item,
  summary: "Delete a service of the Twilio Verify-compatible API.",
  successes: [{ status: 204, description: "The service was deleted." }],
  handle: async (request, services) => {
    const { objects } = await services.authenticate(request.key, "send");
    const isRemoved = await objects.remove(serviceKind, request.params["service"] ?? "");
    return isRemoved ? { status: 204, body: null } : resourceNotFound(request);
  },
};

/** Endpoints of the Services resource of Twilio Verify. */
export const verifyServiceEndpoints: readonly ProviderEndpoint[] = [create, list, fetch, update, remove];

async function open(
  { key, params }: ProviderRequest,
  services: ProviderServices,
  need: "read" | "send",
): Promise<{ readonly objects: EmailSession["objects"]; readonly service: VerifyService | undefined }> {
  const { objects } = await services.authenticate(key, need);
  const found = await objects.get(serviceKind, params["service"] ?? "");
  return { objects, service: found === undefined ? undefined : serviceOf(found) };
}
