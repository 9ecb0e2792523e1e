/** Responses with resources. */
import type { Call } from "../kit/endpoints.ts";
import { fieldOf, writeForm } from "../formats/form.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { urlOfCaller } from "../formats/request-url.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import { requestIds } from "./errors.ts";
import { messageResource, selectionOf, type MessageView, type Representation } from "./message.ts";

const hosts = { isOwnHost: /^(?:graph\.microsoft|login\.microsoftonline)\.com$/, ownHost: "graph.microsoft.com" };

/** Returns the URL of the provider as the client addressed it, without a slash at its end. */
export function baseOf(request: ProviderRequest): string {
  return urlOfCaller(request, hosts);
}

type Requested = Pick<Call, "request">;

/** Returns the URL of the API up to its version, without a slash at its end. */
export function apiUrl(request: ProviderRequest): string {
  return `${baseOf(request)}/v1.0`;
}

/** Returns a JSON response with the ids of the request. */
export function json({ request }: Requested, status: number, value: JsonObject): ProviderResponse {
  return { ...jsonResponse(status, value), headers: requestIds(request) };
}

/** Returns a response without a body. */
export function empty({ request }: Requested, status: number): ProviderResponse {
  return { status, headers: requestIds(request), body: null };
}

/** Returns the wishes of a request about resources. */
export function representationOf({ fields, headers }: ProviderRequest): Representation {
  const select = fieldOf(fields, "$select");
  const { prefer } = headers;
  return {
    select: selectionOf(select),
    prefersText: /outlook\.body-content-type\s*=\s*"?text/i.test(String(prefer ?? "")),
  };
}

/** Returns the response with one resource. */
export function entity(call: Requested, status: number, value: JsonObject): ProviderResponse {
  return json(call, status, {
    "@odata.context": `${apiUrl(call.request)}/$metadata#users('me')/messages/$entity`,
    ...value,
  });
}

/** Returns the response with one message. */
export function resource(call: Requested, status: number, view: MessageView): ProviderResponse {
  return entity(call, status, messageResource(view, representationOf(call.request)));
}

/** Returns a response with a collection. */
export function collection(call: Requested, value: readonly JsonObject[], members: JsonObject = {}): ProviderResponse {
  const context = `${apiUrl(call.request)}/$metadata#Collection`;
  return json(call, 200, { "@odata.context": context, ...members, value });
}

/** Returns the URL of a GET request with other query options. */
export function linkOf(request: ProviderRequest, options: Readonly<Record<string, string>>): string {
  const kept = request.fields.filter(([name]) => !Object.hasOwn(options, name));
  const query = writeForm([...kept, ...Object.entries(options)]).replaceAll("%24", "$");
  return `${baseOf(request)}${request.path}?${query}`;
}
