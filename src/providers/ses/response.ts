/** Responses of Amazon SES. */
import { randomUUID } from "node:crypto";
import type { ProviderResponse } from "../provider.ts";

/** XML namespace of version 1 of the API. */
export const queryNamespace = "http://ses.amazonaws.com/doc/2010-12-01/";

/** Returns whether a path belongs to version 2, a REST API with JSON. */
export function isRestPath(path: string): boolean {
  return path.startsWith("/v2/");
}

/** Returns the id of a request, which the SDKs show in errors. */
export function newRequestId(): string {
  return randomUUID();
}

/** Parts of a response of version 2. */
export interface RestParts {
  readonly requestId: string;
  readonly status: number;
  readonly value: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a response of version 2. */
export function restResponse({ requestId, status, value, headers = {} }: RestParts): ProviderResponse {
  return {
    status,
    headers: { "x-amzn-requestid": requestId, ...headers },
    body: { contentType: "application/json", text: JSON.stringify(value) },
  };
}
