import { Problem } from "../../../core/errors.ts";
import { providers } from "../../../providers/registry.ts";
import type { Provider, ProviderEndpoint, ProviderRequest, ProviderResponse } from "../../../providers/provider.ts";
import type { HttpResponse } from "../../http-response.ts";
import { readKey } from "../../auth.ts";
import type { ProviderCall, ProviderRoute } from "../../route.ts";
import { receiveFromProvider } from "./inbound.ts";
import { servicesFor } from "./provider-services.ts";

const shared = { operationId: null, access: "provider", problems: [] } as const;

/** Endpoints and inbound webhooks of all providers. */
export const providerRoutes: readonly ProviderRoute[] = providers.flatMap((provider) => [
  ...inboundRoutes(provider),
  ...provider.endpoints.map((endpoint) => endpointRoute(provider, endpoint)),
]);

function endpointRoute(provider: Provider, { handle, ...shown }: ProviderEndpoint): ProviderRoute {
  return {
    ...shared,
    ...shown,
    respond: async (call) =>
      toHttpResponse(await respond(provider, async () => handle(toRequest(call), servicesFor(call)))),
  };
}

/** Failures of the service (5xx) are thrown on. */
async function respond(provider: Provider, handle: () => Promise<ProviderResponse>): Promise<ProviderResponse> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof Problem) || error.row.status >= 500) throw error;
    return provider.errorResponse(error);
  }
}

function inboundRoutes(provider: Provider): readonly ProviderRoute[] {
  const { methods, accepted } = provider.sms.inbound;
  return methods.map((method) => ({
    ...shared,
    method,
    path: `/api/sms/${provider.name}`,
    summary: `Receive an SMS from ${provider.label}.`,
    successes: [{ status: accepted.status, description: accepted.description }],
    respond: async (call) => {
      await receiveFromProvider(call, provider, toRequest(call));
      return toHttpResponse(accepted);
    },
  }));
}

function toRequest({ headers, path, id, url, form, fields }: ProviderCall): ProviderRequest {
  return { headers, path, id, url, form, fields, key: readKey(headers.authorization) ?? null };
}

function toHttpResponse({ status, body }: ProviderResponse): HttpResponse {
  if (body === null) return { status, headers: {}, body: null };
  return { status, headers: { "content-type": body.contentType }, body: [Buffer.from(body.text, "utf8")] };
}
