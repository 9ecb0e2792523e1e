/** Sends arbitrary requests to one endpoint. */
import fc from "fast-check";
import { expect } from "vitest";
import { callEndpoint } from "./call-endpoint.test-aid.ts";
import type { Provider, ProviderEndpoint, ProviderRequest } from "../provider.ts";
import type { ProviderSamples } from "./samples.test-aid.ts";
import { fullSample, minimalSample } from "./sample-emails.test-aid.ts";
import { memoryServices, validKey } from "./services.test-aid.ts";
import { urlQuery } from "../../testing/url-parts.test-aid.ts";

/** Endpoint to test. */
export interface FuzzSubject {
  readonly provider: Provider;
  readonly samples: ProviderSamples;
  readonly endpoint: ProviderEndpoint;
}

const options = { key: validKey } as const;
const contentTypes = [
  "application/json",
  "application/x-www-form-urlencoded",
  "application/x-amz-json-1.0",
  "multipart/form-data; boundary=x",
  "multipart/form-data",
  "text/plain",
  "",
];

/**
 * Checks that any bytes and any JSON, and valid requests with any part replaced, get a response below 500 that the samples
 * can read, and that nothing is stored with an error.
 */
export async function fuzzEndpoint(subject: FuzzSubject): Promise<void> {
  await fc.assert(
    fc.asyncProperty(requests(subject), async (request) => expectHandled(subject, request)),
    { numRuns: 150 },
  );
}

async function expectHandled({ provider, samples }: FuzzSubject, request: ProviderRequest): Promise<void> {
  const memory = memoryServices();
  const { status } = await callEndpoint(provider, request, memory.services).then((response) => {
    for (const { errorOf } of [samples.email, samples.sms].filter((one) => one !== undefined)) {
      if (response.status >= 400) expect(errorOf(response)).not.toBeNull();
      else if (response.body !== null) errorOf(response);
    }
    return response;
  });
  // Failures of the service reject the call, so that a response with this status is a rejection.
  if (status !== samples.email?.rejectionStatus) expect(status).toBeLessThan(500);
  if (status >= 400) expect([...memory.emails, ...memory.sms]).toEqual([]);
}

function requests({ samples, endpoint }: FuzzSubject): fc.Arbitrary<ProviderRequest> {
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((json) => Buffer.from(json)),
    urlQuery.map((form) => Buffer.from(form)),
  );
  const segment = fc.oneof(
    fc.constantFrom("x", "1", "0199aabb-ccdd-8eee-8fff-001122334455", "a%20b", "%E2%82%AC"),
    fc.string({ minLength: 1 }).map((text) => encodeURIComponent(text.toWellFormed())),
  );
  const anything = fc
    .record({ body, segment, contentType: fc.constantFrom(...contentTypes) })
    .map((one) => requestOf(endpoint, { ...one, headers: { "content-type": one.contentType } }));
  const valid = validRequests(samples).filter(
    (one) => one.method === endpoint.method && isPathOf(endpoint.path, one.path),
  );
  if (valid.length === 0) return anything;
  return fc.oneof(anything, fc.constantFrom(...valid).chain(changedRequest));
}

function requestOf(
  { method, path }: ProviderEndpoint,
  { body, segment, headers }: Pick<ProviderRequest, "body" | "headers"> & { readonly segment: string },
): ProviderRequest {
  const actual = path.replaceAll(/:\w+/g, () => segment);
  const text = Buffer.from(body).toString("utf8");
  const form = headers["content-type"]?.includes("urlencoded") === true ? [...new URLSearchParams(text)] : [];
  const url = `http://localhost${actual}`;
  return { method, headers, path: actual, params: {}, url, body, form, fields: form, key: validKey };
}

function validRequests({ email, sms }: ProviderSamples): readonly ProviderRequest[] {
  const all = fullSample(["attachments", "inline images", "custom headers", "tags", "metadata"]);
  const mails = email === undefined ? [] : [email.send(minimalSample, options), email.send(all, options)];
  const batch = email?.batch?.([minimalSample, minimalSample], options).request;
  const template = { name: "welcome", subject: "Hello", text: "Hello", html: "<p>Hello</p>" };
  const stored =
    email?.storeTemplate?.steps.slice(0, 1).map((step) => step(template, { ...options, earlier: [] })) ?? [];
  const text = { from: "+15550100", to: "+447700900123", text: "Your code is 482913" };
  const texts = sms === undefined ? [] : [sms.send(text, { ...options, callback: null })];
  return [...mails, ...(batch === undefined ? [] : [batch]), ...stored, ...texts];
}

function isPathOf(pattern: string, path: string): boolean {
  const [expected, actual] = [pattern.split("/"), path.split("/")];
  return expected.length === actual.length && expected.every((one, at) => one.startsWith(":") || one === actual[at]);
}

/** Replaces a value anywhere in a JSON body, or bytes of any other body, or a field of a form. */
function changedRequest(request: ProviderRequest): fc.Arbitrary<ProviderRequest> {
  const bytes = fc
    .tuple(fc.nat(request.body.byteLength), fc.nat(50), fc.uint8Array({ maxLength: 20 }))
    .map(([at, removed, added]) => Buffer.concat([request.body.slice(0, at), added, request.body.slice(at + removed)]));
  const value = jsonOf(request.body);
  const bodies = value === undefined ? bytes : fc.oneof(bytes, changedJson(value));
  const form = fc.subarray([...request.form]).map((fields) => ({ form: fields, fields }));
  const changed = bodies.map((body) => ({ ...request, body }));
  if (request.form.length === 0) return changed;
  return fc.tuple(changed, form).map(([one, fields]) => ({ ...one, ...fields }));
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8")) as unknown;
  } catch {
    // A form or multipart body.
    return undefined;
  }
}

function changedJson(value: unknown): fc.Arbitrary<Uint8Array> {
  const hostile = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(null, "", " ", [], {}, [null], [[]], 0, -1, 1e300, true, "\r\nBcc: x@y.example", "\u0000"),
  );
  return fc
    .tuple(fc.constantFrom(...pathsOf(value)), hostile)
    .map(([path, replacement]) => Buffer.from(JSON.stringify(replaced(value, path, replacement))));
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown): readonly Path[] {
  if (typeof value !== "object" || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([name, one]) => pathsOf(one).map((path) => [name, ...path]))];
}

function replaced(value: unknown, [first, ...rest]: Path, replacement: unknown): unknown {
  if (first === undefined) return replacement;
  const members = value as Readonly<Record<string, unknown>>;
  const member = replaced(members[first], rest, replacement);
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === first ? member : (one as unknown)));
  return { ...members, [first]: member };
}
