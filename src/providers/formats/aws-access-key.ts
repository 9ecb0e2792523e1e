/**
 * Access keys in requests that are signed with AWS Signature Version 4. The signature itself is not checked: that needs the
 * secret, and API keys are stored hashed.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { FormFields } from "../../core/read-form.ts";
import { fieldOf } from "./form.ts";
import type { ProviderRequest } from "../provider.ts";

/** Credential scope of a signed request. */
interface Scope {
  readonly accessKey: string;
  readonly region: string;
  /** Signing name of the service, `ses`. */
  readonly service: string;
}

/** Region of requests whose credential names none. */
const regionDefault = "us-east-1";
const credential = /(?:^|[\s,])Credential=([^\s,]+)/;
const scope = /^(.+)\/\d{8}\/([a-z0-9-]{1,40})\/([a-z0-9-]{1,40})\/aws4_request$/;

/**
 * Returns the access key id of a request: of an Authorization field with the scheme AWS4-HMAC-SHA256 (or
 * AWS4-ECDSA-P256-SHA256), or of `X-Amz-Credential` in the query string; null without one.
 */
export function readAccessKey({ authorization = "" }: IncomingHttpHeaders, query: FormFields): string | null {
  const scoped = scopeOfField(authorization) ?? scopeOf(fieldOf(query, "X-Amz-Credential") ?? "");
  return scoped?.accessKey ?? null;
}

/** Returns the access key id of a request, which may also be in `X-Amz-Credential` of a form. */
export function accessKeyOf({ key, fields }: Pick<ProviderRequest, "key" | "fields">): string | null {
  return key ?? scopeOf(fieldOf(fields, "X-Amz-Credential") ?? "")?.accessKey ?? null;
}

/** Returns the region for which a request is signed; `us-east-1` when it names none. */
export function regionOf({ headers, fields }: Pick<ProviderRequest, "headers" | "fields">): string {
  const scoped = scopeOfField(headers.authorization ?? "") ?? scopeOf(fieldOf(fields, "X-Amz-Credential") ?? "");
  return scoped?.region ?? regionDefault;
}

/** Returns the signing name of the service that an Authorization field is signed for (`ses`, `sns`); null without one. */
export function signedServiceOf(authorization: string): string | null {
  return scopeOfField(authorization)?.service ?? null;
}

function scopeOfField(authorization: string): Scope | undefined {
  if (!/^AWS4-[A-Z0-9-]{1,40}\s/.test(authorization)) return undefined;
  return scopeOf(credential.exec(authorization)?.[1] ?? "");
}

function scopeOf(text: string): Scope | undefined {
  const [, accessKey, region, service] = scope.exec(text) ?? [];
  if (accessKey === undefined || region === undefined || service === undefined) return undefined;
  return { accessKey, region, service };
}
