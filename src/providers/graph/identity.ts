/**
 * Identity platform: the token endpoint, the documents by which libraries find it, and the applications that request tokens. Any
 * tenant is accepted.
 */
import type { OpenCall, OpenHandler } from "../kit/endpoints.ts";
import { tokenEndpoint } from "../kit/oauth.ts";
import { onProblem } from "../kit/rejection.ts";
import { fieldOf } from "../formats/form.ts";
import { isUuid, uuidOfHash } from "../formats/uuid.ts";
import { jsonResponse, type KeyOwner, type ProviderRequest } from "../provider.ts";
import { requestIds } from "./errors.ts";
import { keySetOf } from "./rich-notifications.ts";
import { baseOf } from "./response.ts";

/** Numbers of the errors of the identity platform: https://learn.microsoft.com/entra/identity-platform/reference-error-codes */
const errorNumbers = {
  invalid_request: 900144,
  invalid_client: 7000215,
  invalid_grant: 70008,
  unsupported_grant_type: 70003,
} as const;

/** Returns a token: `POST /:tenant/oauth2/v2.0/token`. */
export const getToken: OpenHandler = tokenEndpoint({
  members: ({ request, grant }) => ({
    ext_expires_in: 3599,
    ...(grant !== "client_credentials" && { scope: fieldOf(request.form, "scope") ?? "" }),
  }),
  note: noteApplication,
  errorMembers: ({ code, description }) => {
    const { "request-id": trace_id, "client-request-id": correlation_id } = requestIds({ headers: {} });
    const number = errorNumbers[code];
    return { error_description: `AADSTS${number}: ${description}`, error_codes: [number], trace_id, correlation_id };
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

/** Application, as its latest request for a token named it. Tokens of notifications name it. */
interface Application {
  readonly id: string;
  /** UUID of its tenant; null when it named none, or named it by a domain. */
  readonly tenant: string | null;
}

/** Application of a key with which no token was requested. */
const unnamed: Application = { id: uuidOfHash("application"), tenant: null };
const kind = "application";
/** Time for which an application is known after its last request for a token. Libraries repeat it every hour. */
const knownMs = 24 * 3_600_000;
const idLengthMax = 100;

/** Stores the application that requests a token; the latest one of each key. */
async function noteApplication({ keyId, objects }: KeyOwner, { request, services }: OpenCall): Promise<void> {
  const id = fieldOf(request.form, "client_id") ?? "";
  if (id === "" || id.length > idLengthMax) return;
  const tenant = (request.params["tenant"] ?? "").toLowerCase();
  const value: Application = { id, tenant: isUuid(tenant) ? tenant : null };
  const stored = objects.put(kind, keyId, { value, expiresAt: services.now() + knownMs });
  // With ten thousand other keys within a day, tokens name no application of this one.
  await onProblem("limit_reached", stored, () => false);
}

/** Returns the application of the caller. */
export async function applicationOf({ keyId, objects }: KeyOwner): Promise<Application> {
  return ((await objects.get(kind, keyId))?.value as Application | undefined) ?? unnamed;
}
