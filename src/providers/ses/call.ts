/** Calls of both versions of the API. */
import { regionOf } from "../formats/aws-access-key.ts";
import { MemberError } from "../formats/aws-members.ts";
import type { QueryAction } from "../formats/aws-query.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { rejection } from "./errors.ts";
import { newRequestId, restResponse } from "./response.ts";

/** Caller of an action, and the region that it names. */
export interface Caller extends Pick<Call, "session" | "services"> {
  readonly region: string;
}

/** Request to version 2 of the API. */
export interface RestCall extends Call, Caller {
  /** Returns the JSON object of the body; throws `malformed`. */
  readonly body: () => JsonObject;
  /** Returns a path parameter. */
  readonly param: (name: string) => string;
}

/** Request to version 1 of the API. */
export type QueryCall = Caller & { readonly request: JsonObject };

/** Actions by name. */
export type QueryActions = Readonly<Record<string, QueryAction<QueryCall>>>;

/** Throws an error; that of a member becomes one of the API. */
export function throwAsRejection(error: unknown): never {
  throw error instanceof MemberError ? rejection(error.kind, error.message) : error;
}

/** Returns a handler of version 2 that responds with the value of `act` as JSON. */
export function restHandler(act: (call: RestCall) => Promise<unknown>): Handler {
  return async (call) => {
    const { request } = call;
    const param = (name: string): string => request.params[name] ?? "";
    const body = (): JsonObject => readRestBody(request.body);
    const value = await act({ ...call, region: regionOf(request), body, param }).catch(throwAsRejection);
    return restResponse({ requestId: newRequestId(), status: 200, value });
  };
}

function readRestBody(body: Uint8Array): JsonObject {
  const value = readJson(body);
  if (!isJsonObject(value)) throw rejection("malformed");
  return value;
}
