/** Requests within a request, as batch endpoints have them. */
import { notFound, Problem } from "../../core/errors.ts";
import { decodePercent } from "../../core/text-encodings.ts";
import { readForm } from "../../core/read-form.ts";
import type { Provider, ProviderEndpoint, ProviderRequest, ProviderResponse, ProviderServices } from "../provider.ts";

/** Endpoints to which requests are dispatched, and the errors of their provider. */
export type Dispatched = Pick<Provider, "endpoints" | "errorResponse">;

/**
 * Calls the endpoint with the method and path of a request; returns the provider's error for problems that the request
 * caused. Rejects with failures of the service (5xx) and with faults.
 */
export async function dispatch(
  { endpoints, errorResponse }: Dispatched,
  request: ProviderRequest,
  services: ProviderServices,
): Promise<ProviderResponse> {
  try {
    const { endpoint, params } = findEndpoint(endpoints, request);
    return await endpoint.handle({ ...request, params: { ...params, ...request.params } }, services);
  } catch (error) {
    if (!(error instanceof Problem) || error.row.status >= 500) throw error;
    return errorResponse(error, request);
  }
}

/** Parts of a request within another one. */
type InnerRequest = Pick<ProviderRequest, "method" | "path" | "url" | "headers" | "body"> &
  Partial<Pick<ProviderRequest, "key">> & { readonly query: string };

/** Returns a request within another one, whose key it has by default. */
export function innerRequest(outer: ProviderRequest, { query, ...own }: InnerRequest): ProviderRequest {
  return { ...outer, params: {}, form: [], fields: readForm(query), ...own };
}

interface Match {
  readonly endpoint: ProviderEndpoint;
  readonly params: Readonly<Record<string, string>>;
}

/** Throws `not_found` for an unknown path, and `method_not_allowed` for one without the method. */
function findEndpoint(
  endpoints: readonly ProviderEndpoint[],
  { method, path }: Pick<ProviderRequest, "method" | "path">,
): Match {
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

function matchPath(pattern: string, path: string): Match["params"] | undefined {
  const expected = pattern.split("/");
  // Not all segments: a path may have thousands, and is compared with every endpoint.
  const actual = path.split("/", expected.length + 1);
  const isMatch =
    expected.length === actual.length &&
    expected.every((segment, at) => (segment.startsWith(":") ? actual[at] !== "" : segment === actual[at]));
  if (!isMatch) return undefined;
  const params = expected.flatMap((segment, at) =>
    segment.startsWith(":") ? [[segment.slice(1), decodePercent(actual[at] ?? "")] as const] : [],
  );
  return Object.fromEntries(params);
}
