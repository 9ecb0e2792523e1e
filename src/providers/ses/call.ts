/** Authentication and error responses of all endpoints. */
import { accessKeyOf, regionOf } from "../formats/aws-access-key.ts";
import { MemberError } from "../formats/aws-members.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { ProviderRequest, ProviderResponse, ProviderServices } from "../provider.ts";
import type { Caller } from "./compose.ts";
import { SesError, sesErrorResponse } from "./errors.ts";
import { readRestBody } from "./request.ts";
import { newRequestId, restResponse } from "./response.ts";

/** Need of an action: `read` for those that change nothing. */
export type Need = Parameters<ProviderServices["authenticate"]>[1];

/** Request to version 2 of the API. */
export interface RestCall extends Caller {
  readonly request: ProviderRequest;
  /** Returns the JSON object of the body; throws `malformed`. */
  readonly body: () => JsonObject;
  /** Returns a path parameter. */
  readonly param: (name: string) => string;
}

/** Authenticates a request; rejects with `missingToken`, and with the problems of an unknown key. */
export async function authenticateCaller(
  request: ProviderRequest,
  services: ProviderServices,
  need: Need,
): Promise<Caller> {
  const key = accessKeyOf(request);
  if (key === null) throw new SesError("missingToken");
  return { session: await services.authenticate(key, need), services, region: regionOf(request) };
}

/** Returns the response of `respond`, or the error that it throws, in the protocol of the request. */
export async function withErrors(
  request: ProviderRequest,
  respond: () => Promise<ProviderResponse>,
): Promise<ProviderResponse> {
  try {
    return await respond();
  } catch (error) {
    if (error instanceof MemberError) return sesErrorResponse(new SesError(error.kind, error.message), request);
    if (error instanceof SesError) return sesErrorResponse(error, request);
    throw error;
  }
}

/** Returns a handler of version 2 that responds with the value of `act` as JSON. */
export function restHandler(
  need: Need,
  act: (call: RestCall) => Promise<unknown>,
): (request: ProviderRequest, services: ProviderServices) => Promise<ProviderResponse> {
  return async (request, services) =>
    withErrors(request, async () => {
      const caller = await authenticateCaller(request, services, need);
      const body = (): JsonObject => readRestBody(request.body);
      const value = await act({ ...caller, request, body, param: (name) => request.params[name] ?? "" });
      return restResponse({ requestId: newRequestId(), status: 200, value });
    });
}
