/** Calls endpoints in tests as the HTTP routes do. */
import { dispatch } from "../kit/dispatch.ts";
import type { Provider, ProviderRequest, ProviderResponse, ProviderServices } from "../provider.ts";

/**
 * Calls the endpoint with the request's method and path, and returns the provider's error for problems of the caller.
 * Rejects with all others, which the service would respond to with 5xx.
 */
export async function callEndpoint(
  provider: Provider,
  request: ProviderRequest,
  services: ProviderServices,
): Promise<ProviderResponse> {
  return dispatch(provider, request, services);
}
