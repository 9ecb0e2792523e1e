import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { jsonOf } from "../conformance/samples.test-aid.ts";
import { memoryServices, validKey } from "../conformance/services.test-aid.ts";
import type { ProviderRequest, ProviderResponse } from "../provider.ts";
import { tokenEndpoint, type TokenRules } from "./oauth.ts";

const { services } = memoryServices();
const jwtGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const jwt = (header: object, claims: object): string =>
  [header, claims, "signature"].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString("base64")}`;

async function ask(
  fields: Readonly<Record<string, string>>,
  { authorization, rules }: { readonly authorization?: string; readonly rules?: TokenRules } = {},
): Promise<ProviderResponse> {
  const form = Object.entries(fields);
  const request: ProviderRequest = {
    method: "POST",
    headers: authorization === undefined ? {} : { authorization },
    path: "/token",
    params: {},
    url: "http://localhost/token",
    body: Buffer.alloc(0),
    form,
    fields: form,
    key: null,
  };
  return tokenEndpoint(rules)({ request, services });
}

const escaped = validKey.replaceAll("-", "%2D");
test.each([
  ["client secret", { grant_type: "client_credentials", client_id: "app", client_secret: validKey }, false],
  ["refresh token", { grant_type: "refresh_token", refresh_token: validKey, client_secret: "other" }, true],
  ["code", { grant_type: "authorization_code", code: validKey }, true],
  ["password", { grant_type: "password", username: "ada", password: validKey }, true],
  ["key id of an assertion", { grant_type: jwtGrant, assertion: jwt({ kid: validKey }, { iss: "other" }) }, false],
  ["issuer of an assertion without a key id", { grant_type: jwtGrant, assertion: jwt({}, { iss: validKey }) }, false],
  ["assertion that is no JWT", { grant_type: jwtGrant, assertion: validKey }, false],
  ["assertion of a client", { grant_type: "client_credentials", client_assertion: jwt({ kid: validKey }, {}) }, false],
] as const)("the access token is the %s", async (_name, fields, isRefreshable) => {
  const response = await ask(fields);
  expect([response.status, response.headers]).toEqual([200, { "cache-control": "no-store", pragma: "no-cache" }]);
  const refresh = isRefreshable ? { refresh_token: validKey } : {};
  expect(jsonOf(response)).toEqual({ token_type: "Bearer", expires_in: 3599, access_token: validKey, ...refresh });
});

test("the password of Basic is the secret of a client", async () => {
  const response = await ask({ grant_type: "client_credentials" }, { authorization: basic(`app:${escaped}`) });
  expect(jsonOf(response)).toMatchObject({ access_token: validKey });
});

describe("rejects", () => {
  test.each([
    ["a request without a grant", {}, "400 invalid_request"],
    ["a grant that is not known", { grant_type: "constructor" }, "400 unsupported_grant_type"],
    ["a grant without its credential", { grant_type: "refresh_token" }, "400 invalid_request"],
    ["a wrong secret", { grant_type: "client_credentials", client_secret: "wrong" }, "401 invalid_client"],
    ["a wrong refresh token", { grant_type: "refresh_token", refresh_token: "wrong" }, "400 invalid_grant"],
    ["a secret that fits into no header field", { grant_type: "password", password: "a\nb" }, "400 invalid_grant"],
    ["a secret of 2001 characters", { grant_type: "password", password: "a".repeat(2001) }, "400 invalid_grant"],
    ["an assertion of random parts", { grant_type: jwtGrant, assertion: "%%.[1].x" }, "400 invalid_grant"],
  ])("%s", async (_name, fields, error) => {
    const response = await ask(fields);
    expect(`${String(response.status)} ${String(jsonOf(response)["error"])}`).toBe(error);
    expect(response.headers).toMatchObject({ "cache-control": "no-store" });
  });

  test("any credential with the problem of the service after too many wrong keys", async () => {
    const findKeyOwner = async (): Promise<null> => Promise.reject(new Problem("too_many_requests"));
    const request = {
      form: [
        ["grant_type", "password"],
        ["password", "x"],
      ],
    } as unknown as ProviderRequest;
    await expect(tokenEndpoint()({ request, services: { ...services, findKeyOwner } })).rejects.toMatchObject({
      code: "too_many_requests",
    });
  });
});

test("a provider adds members to tokens and errors", async () => {
  const rules: TokenRules = {
    members: ({ token, grant }) => ({ scope: `${grant} of ${token}` }),
    errorMembers: ({ code }) => ({ error_codes: [code] }),
  };
  const given = { grant_type: "client_credentials", client_secret: validKey };
  expect(jsonOf(await ask(given, { rules }))).toMatchObject({ scope: `client_credentials of ${validKey}` });
  expect(jsonOf(await ask({}, { rules }))).toMatchObject({ error_codes: ["invalid_request"] });
});
