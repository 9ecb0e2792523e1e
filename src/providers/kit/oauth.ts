/**
 * Token endpoint of OAuth 2.0 (RFC 6749). The access token that it returns is the credential that the client presented: its
 * secret, its code, its refresh token, or the key id of its assertion. So an API key of the service in that place is the key
 * of all further requests, and is restricted and revoked as any key.
 */
import { decodePercent } from "../../core/text-encodings.ts";
import { fieldOf } from "../formats/form.ts";
import { readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { jsonResponse, type KeyOwner, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import type { OpenCall, OpenHandler } from "./endpoints.ts";

/** Error codes of a token endpoint (RFC 6749 section 5.2). */
export type TokenErrorCode = "invalid_request" | "invalid_client" | "invalid_grant" | "unsupported_grant_type";

/** Error of a token endpoint. */
export interface TokenError {
  readonly code: TokenErrorCode;
  readonly description: string;
}

/** Access token that is returned. */
export interface IssuedToken {
  readonly token: string;
  readonly grant: string;
  readonly request: ProviderRequest;
}

/** Conventions of a provider's token endpoint. */
export interface TokenRules {
  /** Returns members of an error besides `error` and `error_description`; none by default. */
  readonly errorMembers?: (error: TokenError) => JsonObject;
  /** Returns members of a response besides the token, its type and lifetime; none by default. */
  readonly members?: (issued: IssuedToken) => JsonObject;
  /** Notes the application that gets a token; nothing by default. */
  readonly note?: (owner: KeyOwner, call: OpenCall) => Promise<void>;
}

/** Lifetime that tokens claim; they are valid as long as the credential. Clients renew them a few minutes before. */
const lifetimeSeconds = 3599;

interface Grant {
  /** Returns the credential of a request; undefined without one. */
  readonly credentialOf: (request: ProviderRequest) => string | undefined;
  readonly missing: string;
  readonly wrong: TokenErrorCode;
  /** Whether the response has a refresh token, which is the credential too. */
  readonly isRefreshable: boolean;
}

const grants: Readonly<Record<string, Grant>> = {
  client_credentials: {
    credentialOf: (request) => clientSecretOf(request) ?? assertedKey(fieldOf(request.form, "client_assertion")),
    missing: "client_secret or client_assertion",
    wrong: "invalid_client",
    isRefreshable: false,
  },
  refresh_token: userGrant("refresh_token"),
  authorization_code: userGrant("code"),
  password: userGrant("password"),
  "urn:ietf:params:oauth:grant-type:jwt-bearer": {
    credentialOf: ({ form }) => assertedKey(fieldOf(form, "assertion")),
    missing: "assertion",
    wrong: "invalid_grant",
    isRefreshable: false,
  },
};

function userGrant(field: string): Grant {
  return {
    credentialOf: ({ form }) => fieldOf(form, field),
    missing: field,
    wrong: "invalid_grant",
    isRefreshable: true,
  };
}

/** Returns the client's secret: a field, or the password of Basic (RFC 6749 section 2.3.1). */
function clientSecretOf({ form, headers: { authorization = "" } }: ProviderRequest): string | undefined {
  const field = fieldOf(form, "client_secret");
  const pair = /^basic +(\S+) *$/i.exec(authorization)?.[1];
  if (field !== undefined || pair === undefined) return field;
  const [, secret = ""] = Buffer.from(pair, "base64").toString("utf8").split(/:(.*)/s);
  return decodePercent(secret) || undefined;
}

/**
 * Returns the key that an assertion names: the id of the signing key, else its issuer; an assertion that is no JWT is the key
 * itself. The signature is not checked.
 */
function assertedKey(assertion: string | undefined): string | undefined {
  const [header, claims] = (assertion ?? "").split(".", 2).map((part) => {
    return readJsonObject(Buffer.from(part, "base64url"));
  });
  const named = [header?.["kid"], claims?.["iss"]].find((one) => typeof one === "string" && one !== "");
  return typeof named === "string" ? named : assertion;
}

/** Characters that a Bearer token may have in a header field. */
const possibleToken = /^[\x21-\x7e]{1,2000}$/;

/** Returns the handler of a token endpoint, for a row with `access: "own"` of `openEndpoints`. */
export function tokenEndpoint({ errorMembers, members, note }: TokenRules = {}): OpenHandler {
  const fail = (code: TokenErrorCode, description: string): ProviderResponse => {
    const body = { error: code, error_description: description, ...errorMembers?.({ code, description }) };
    return uncached(jsonResponse(code === "invalid_client" ? 401 : 400, body));
  };
  return async ({ request, services }) => {
    const name = fieldOf(request.form, "grant_type");
    if (name === undefined)
      return fail("invalid_request", "The request body must contain the parameter: 'grant_type'.");
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined;
    if (grant === undefined) return fail("unsupported_grant_type", "The grant type is not supported.");
    const token = grant.credentialOf(request);
    if (token === undefined) return fail("invalid_request", `The request body must contain: ${grant.missing}.`);
    const owner = possibleToken.test(token) ? await services.findKeyOwner(token) : null;
    if (owner === null) return fail(grant.wrong, "The credential is not an API key of the service.");
    await note?.(owner, { request, services });
    const refresh = grant.isRefreshable ? { refresh_token: token } : {};
    const issued = { token_type: "Bearer", expires_in: lifetimeSeconds, access_token: token, ...refresh };
    return uncached(jsonResponse(200, { ...issued, ...members?.({ token, grant: name, request }) }));
  };
}

/** Adds the header fields that keep tokens out of caches (RFC 6749 section 5.1). */
function uncached(response: ProviderResponse): ProviderResponse {
  return { ...response, headers: { "cache-control": "no-store", pragma: "no-cache" } };
}
