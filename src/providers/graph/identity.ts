/** Identity platform: the token endpoint, and the documents by which libraries find it. Any tenant is accepted. */
import type { OpenHandler } from "../kit/endpoints.ts";
import { tokenEndpoint } from "../kit/oauth.ts";
import { fieldOf } from "../formats/form.ts";
import { jsonResponse, type ProviderRequest } from "../provider.ts";
import { noteApplication } from "./applications.ts";
import { requestIds } from "./errors.ts";
import { baseOf } from "./response.ts";
import { keySetOf } from "./validation-token.ts";

/** Numbers of the errors of the identity platform: https://learn.microsoft.com/entra/identity-platform/reference-error-codes */
const errorNumbers = {
  invalid_request: 900144,
  invalid_client: 7000215,
  invalid_grant: 70008,
  unsupported_grant_type: 70003,
} as const;

/** Returns a token: `POST /:tenant/oauth2/v2.0/token`. */
export const getToken: OpenHandler = tokenEndpoint({
  members: ({ request }) => ({
    ext_expires_in: 3599,
    ...(fieldOf(request.form, "grant_type") !== "client_credentials" && {
      scope: fieldOf(request.form, "scope") ?? "",
    }),
  }),
  note: noteApplication,
  errorMembers: ({ code, description }) => {
    const ids = requestIds({ headers: {} });
    const number = errorNumbers[code];
    return {
      error_description: `AADSTS${String(number)}: ${description}`,
      error_codes: [number],
      trace_id: ids["request-id"],
      correlation_id: ids["client-request-id"],
    };
  },
});

function authorityOf(request: ProviderRequest): string {
  return `${baseOf(request)}/${request.params["tenant"] ?? "common"}`;
}

/** Returns the OpenID configuration of a tenant: `GET /:tenant/v2.0/.well-known/openid-configuration`. */
export const getConfiguration: OpenHandler = async ({ request }) => {
  const authority = authorityOf(request);
  return jsonResponse(200, {
    issuer: `${authority}/v2.0`,
    authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
    token_endpoint: `${authority}/oauth2/v2.0/token`,
    jwks_uri: `${authority}/discovery/v2.0/keys`,
    response_types_supported: ["code"],
    response_modes_supported: ["query", "fragment", "form_post"],
    scopes_supported: ["openid", "profile", "email", "offline_access"],
    subject_types_supported: ["pairwise"],
    id_token_signing_alg_values_supported: ["RS256"],
    token_endpoint_auth_methods_supported: ["client_secret_post", "private_key_jwt", "client_secret_basic"],
    tenant_region_scope: null,
    cloud_instance_name: "microsoftonline.com",
    cloud_graph_host_name: "graph.windows.net",
    msgraph_host: "graph.microsoft.com",
  });
};

/** Returns the metadata of the cloud: `GET /common/discovery/instance`. */
export const getInstance: OpenHandler = async ({ request }) => {
  const { host } = new URL(baseOf(request));
  const asked = fieldOf(request.fields, "authorization_endpoint") ?? "";
  const tenant = /\/([^/]+)\/oauth2\//.exec(asked)?.[1] ?? "common";
  return jsonResponse(200, {
    tenant_discovery_endpoint: `${baseOf(request)}/${tenant}/v2.0/.well-known/openid-configuration`,
    "api-version": "1.1",
    metadata: [{ preferred_network: host, preferred_cache: host, aliases: [host] }],
  });
};

/** Returns the key that signs the tokens of notifications: `GET /:tenant/discovery/v2.0/keys`, and without the version. */
export const getKeys: OpenHandler = async ({ request, services }) =>
  jsonResponse(200, keySetOf(await services.signingIdentity(), `${authorityOf(request)}/v2.0`));
