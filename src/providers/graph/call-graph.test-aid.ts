/** Calls of Graph in tests. */
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { jsonOf, jsonRequest } from "../conformance/samples.test-aid.ts";
import { type MemoryServices, validKey } from "../conformance/services.test-aid.ts";
import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import { readForm } from "../../core/read-form.ts";
import { graph } from "./provider.ts";

/** Object of a response. */
export interface Resource {
  readonly id: string;
  readonly [name: string]: unknown;
}

/** Calls an endpoint below `/v1.0/me`. */
export async function call(
  memory: MemoryServices,
  line: string,
  { body, ...changes }: Partial<Omit<ProviderRequest, "body">> & { readonly body?: unknown } = {},
): Promise<ProviderResponse> {
  const [method, target] = line.split(/ (.*)/s) as [ProviderMethod, string];
  const [path = "", query = ""] = target.split("?");
  const own = path.startsWith("/v1.0") ? path : `/v1.0/me${path}`;
  const bytes = body instanceof Uint8Array ? { body } : {};
  const options = {
    method,
    path: own,
    url: `http://localhost${own}?${query}`,
    fields: readForm(query),
    key: validKey,
    ...bytes,
  };
  return callEndpoint(graph, jsonRequest(body ?? {}, { ...options, ...changes }), memory.services);
}

/** Returns the object of a response. */
export const resourceOf = (response: ProviderResponse): Resource => jsonOf(response) as Resource;
/** Returns the status and the code of the error of a response. */
export const codeOf = (response: ProviderResponse): string => {
  const { error } = jsonOf(response) as { error?: { code: string } };
  return `${String(response.status)} ${error?.code ?? ""}`;
};
/** Returns the objects of a response with a list. */
export const listOf = (response: ProviderResponse): readonly Resource[] =>
  (jsonOf(response) as { value: Resource[] }).value;
