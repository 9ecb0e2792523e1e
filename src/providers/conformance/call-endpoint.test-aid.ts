/** Calls endpoints in tests as the HTTP routes do. */
import { notFound, Problem } from "../../core/errors.ts";
import type { Provider, ProviderEndpoint, ProviderRequest, ProviderResponse, ProviderServices } from "../provider.ts";

/**
 * Calls the endpoint with the request's method and path, and returns the provider's error for problems of the caller.
 * Rejects with all others, which the service would respond to with 5xx.
 */
export async function callEndpoint(
  provider: Provider,
  request: ProviderRequest,
  services: ProviderServices,
): Promise<ProviderResponse> {
  try {
    const { endpoint, params } = findEndpoint(provider, request);
    return await endpoint.handle({ ...request, params: { ...params, ...request.params } }, services);
  } catch (error) {
    if (!(error instanceof Problem) || error.row.status >= 500) throw error;
    return provider.errorResponse(error, request);
  }
}

interface Match {
  readonly endpoint: ProviderEndpoint;
  readonly params: Readonly<Record<string, string>>;
}

function findEndpoint({ endpoints }: Provider, { method, path }: ProviderRequest): Match {
  const matches = endpoints.flatMap((endpoint) => {
    const params = matchPath(endpoint.path, path);
    return params === undefined ? [] : [{ endpoint, params }];
  });
  if (matches.length === 0) throw notFound("Path");
  // As the router does, prefers literal segments to parameters.
  const [found] = matches
    .filter(({ endpoint }) => endpoint.method === method)
    .toSorted((a, b) => Object.keys(a.params).length - Object.keys(b.params).length);
  if (found === undefined) throw new Problem("method_not_allowed");
  return found;
}

function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [expected, actual] = [pattern.split("/"), path.split("/")];
  const isMatch =
    expected.length === actual.length &&
    expected.every((segment, at) => (segment.startsWith(":") ? actual[at] !== "" : segment === actual[at]));
  if (!isMatch) return undefined;
  return Object.fromEntries(
    expected.flatMap((segment, at) =>
      segment.startsWith(":") ? [[segment.slice(1), decodeURIComponent(actual[at] ?? "")]] : [],
    ),
  );
}
