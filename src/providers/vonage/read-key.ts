import type { IncomingHttpHeaders } from "node:http";
import type { FormFields } from "../../core/read-form.ts";
import { readJson } from "../../core/read-json.ts";
import { isJsonObject } from "../formats/json-body.ts";

/**
 * Returns the API key of a request: the API secret of Basic, or the `application_id` of a JWT. The JWT's signature is not
 * verified: the service does not know the application's public key, so that the application id itself has to be the key.
 */
export function readVonageKey({ authorization = "" }: IncomingHttpHeaders): string | null {
  const [, scheme = "", credentials = ""] = /^(\S+) +(\S+) *$/.exec(authorization) ?? [];
  switch (scheme.toLowerCase()) {
    case "basic":
      return readBasic(credentials);
    case "bearer":
      return readApplicationId(credentials) ?? credentials;
    default:
      return null;
  }
}

/** Returns the fields of a request with `api_key` and `api_secret` of Basic, where current libraries put them. */
export function withBasicCredentials(fields: FormFields, { authorization = "" }: IncomingHttpHeaders): FormFields {
  const credentials = /^basic +(\S+) *$/i.exec(authorization)?.[1];
  if (credentials === undefined || fields.some(([name]) => name === "api_key")) return fields;
  const [user, secret] = readPair(credentials);
  return [...fields, ["api_key", user], ["api_secret", secret]];
}

function readBasic(credentials: string): string | null {
  const [user, secret] = readPair(credentials);
  return secret || user || null;
}

function readPair(credentials: string): readonly [user: string, secret: string] {
  const pair = Buffer.from(credentials, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon === -1 ? [pair, ""] : [pair.slice(0, colon), pair.slice(colon + 1)];
}

/** Returns the application id of a JWT (RFC 7519); undefined for any other token. */
function readApplicationId(token: string): string | undefined {
  const [, payload = "", signature] = token.split(".");
  if (signature === undefined) return undefined;
  const reading = readJson(Buffer.from(payload, "base64url"));
  const id = "value" in reading && isJsonObject(reading.value) ? reading.value["application_id"] : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}
