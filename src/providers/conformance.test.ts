/** Conformance suite for every provider in the registry. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { notFound, Problem, type ProblemCode } from "../core/errors.ts";
import { createIdSource, newServerId } from "../core/ids.ts";
import { readForm } from "./form.ts";
import type { ProviderEndpoint, ProviderServices } from "./provider.ts";
import { findProvider, providers } from "./registry.ts";
import { webhookRequest, type ProviderSamples } from "./samples.test-aid.ts";
import type { OutboundSms, SubmissionRefusal, SubmittedSms } from "./sms.ts";

const now = Date.UTC(2026, 10, 20, 10, 42, 7);
const sms: OutboundSms = { from: "+15550100", to: "+447700900123", text: "Your code is 482913 & €" };
const url = "http://app.test/inbound?x=1";
const key = "a-valid-key";
const fileNames = [
  "callbacks",
  "endpoints",
  "errors",
  "inbound",
  "provider",
  "request",
  "response",
  "send",
  "signature",
];

/** Returns services that store messages in a list. */
function services(refusal: SubmissionRefusal | null = null): { stored: SubmittedSms[]; services: ProviderServices } {
  const stored: SubmittedSms[] = [];
  const ids = createIdSource(() => now);
  const server = newServerId();
  return {
    stored,
    services: {
      now: () => now,
      authenticate: async (given) => {
        if (given !== key) throw new Problem("unauthenticated");
        return {
          submitSms: async (one) => {
            if (refusal !== null) return { refusal };
            stored.push(one);
            return { id: ids.next(server, "Received").id };
          },
          getSms: async () => Promise.reject(notFound("Message")),
          listSms: async () => ({ messages: [], hasMore: false }),
        };
      },
    },
  };
}

async function samplesOf(name: string): Promise<ProviderSamples> {
  return ((await import(`./${name}/samples.test-aid.ts`)) as { readonly samples: ProviderSamples }).samples;
}

test("the registry lists every folder, and each folder has the same files", () => {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).toSorted()).toEqual(providers.map(({ name }) => name).toSorted());
  const missing = folders.flatMap(({ name }) =>
    fileNames.map((file) => join(name, `${file}.ts`)).filter((file) => !existsSync(join(import.meta.dirname, file))),
  );
  expect(missing).toEqual([]);
});

test("no two providers share an endpoint", () => {
  const lines = providers.flatMap(({ endpoints }) => endpoints.map(({ method, path }) => `${method} ${path}`));
  expect(new Set(lines).size).toBe(lines.length);
  expect(findProvider("unknown")).toBeUndefined();
});

describe.each(providers.map((provider) => [provider.name, provider] as const))("%s", (name, provider) => {
  const sendEndpoint = async (): Promise<{ samples: ProviderSamples; handle: ProviderEndpoint["handle"] }> => {
    const samples = await samplesOf(name);
    const endpoint = provider.endpoints.find(({ method, path }) => method === "POST" && path === samples.sendPath);
    return { samples, handle: endpoint?.handle ?? (async () => expect.unreachable("no such endpoint")) };
  };

  test("stores an SMS that an application sends and responds with its id", async () => {
    const { samples, handle } = await sendEndpoint();
    const { stored, services: used } = services();
    const response = await handle(samples.send(sms, { key, callback: null }), used);
    expect(samples.errorOf(response)).toBeNull();
    expect(samples.idOf(response)).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(stored).toEqual([{ ...sms, callback: null }]);
  });

  test("reports the status to the callback URL as a form", async () => {
    const { samples, handle } = await sendEndpoint();
    const { stored, services: used } = services();
    const callback = "https://app.test/status";
    const response = await handle(samples.send(sms, { key, callback }), used);
    expect(stored[0]?.callback?.url).toBe(callback);
    const calls = stored[0]?.callback?.calls(createIdSource(() => now).next(newServerId(), "Received").id) ?? [];
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.every(({ body }) => readForm(body).length > 3)).toBe(true);
    expect(samples.errorOf(response)).toBeNull();
  });

  test.each<[string, Partial<OutboundSms>, string | null]>([
    ["an empty text", { text: "" }, null],
    ["a text that is too long", { text: "x".repeat(1601) }, null],
    ["an invalid recipient", { to: "nobody" }, null],
    ["an invalid sender", { from: "not a sender id" }, null],
    ["an invalid callback URL", {}, "ftp://app.test/"],
  ])("rejects %s in its own shape and stores nothing", async (_name, changes, callback) => {
    const { samples, handle } = await sendEndpoint();
    const { stored, services: used } = services();
    const response = await handle(samples.send({ ...sms, ...changes }, { key, callback }), used);
    expect(samples.errorOf(response)).not.toBeNull();
    expect(stored).toEqual([]);
  });

  test.each(["no_server", "unsubscribed", "callback"] as const)("has an error for %s", async (refusal) => {
    const { samples, handle } = await sendEndpoint();
    const response = await handle(samples.send(sms, { key, callback: null }), services(refusal).services);
    expect(samples.errorOf(response)).not.toBeNull();
  });

  test("rejects an unknown key", async () => {
    const { samples, handle } = await sendEndpoint();
    const { stored, services: used } = services();
    const response = handle(samples.send(sms, { key: "wrong", callback: null }), used);
    await expect(response).rejects.toMatchObject({ code: "unauthenticated" });
    expect(stored).toEqual([]);
  });

  test.each<ProblemCode>(["unauthenticated", "forbidden", "not_found", "too_many_requests", "invalid_request"])(
    "has an error for the problem %s",
    async (code) => {
      const samples = await samplesOf(name);
      const codes = [code, "limit_reached" as const].map((one) =>
        samples.errorOf(provider.errorResponse(new Problem(one))),
      );
      expect(codes).not.toContain(null);
    },
  );

  test("delivers an SMS to a webhook as its own inbound webhook reads it, for any text", () => {
    const { deliver, inbound } = provider.sms;
    const server = newServerId();
    fc.assert(
      fc.property(fc.string(), (text) => {
        const id = "0199aabb-ccdd-8eee-8fff-001122334455";
        const request = webhookRequest(url, deliver({ ...sms, text, id, server }, { url, secret: "s3cret", now }));
        const { from, to } = sms;
        expect(inbound.read(request)).toMatchObject({ from, to, text: text.toWellFormed() });
        expect(inbound.isSigned(request, "s3cret", now)).toBe(true);
        expect(inbound.isSigned(request, "another", now)).toBe(false);
        const fields = [...request.form, ["added", "x"]] as const;
        expect(inbound.isSigned({ ...request, form: fields, fields }, "s3cret", now)).toBe(false);
      }),
    );
  });

  test("does not sign a webhook without a secret", () => {
    const { deliver, inbound } = provider.sms;
    const id = "0199aabb-ccdd-8eee-8fff-001122334455";
    const request = webhookRequest(url, deliver({ ...sms, id, server: newServerId() }, { url, secret: null, now }));
    expect(request.headers).toEqual({});
    expect(inbound.isSigned(request, "", now)).toBe(false);
  });

  test("rejects an inbound webhook without fields", () => {
    expect(() => provider.sms.inbound.read(webhookRequest(url, { body: "", headers: {} }))).toThrow(Problem);
  });

  test("sends by the provider's own origin unless the account names another base URL", () => {
    const { sendApi } = provider.sms;
    const account = { id: "ID1", key: null, secret: "s3cret", apiUrl: null };
    const origin = new URL(sendApi.request(account, sms).url).origin;
    expect(provider.apiOrigins.test(origin)).toBe(true);
    for (const other of [origin.replace("https", "http"), `${origin}:444`, `${origin}.evil.example`]) {
      expect(provider.apiOrigins.test(other)).toBe(false);
    }
    const apiUrl = "http://127.0.0.1:1";
    expect(sendApi.request({ ...account, apiUrl }, sms).url).toMatch(/^http:\/\/127\.0\.0\.1:1\//);
  });

  test("reads every response of its API, and reports nothing of the body except a code", () => {
    const { readFailure } = provider.sms.sendApi;
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((messages) => `{"messages":[${messages}]}`),
    );
    const plain = new RegExp(`^${provider.label} responded with (?:[\\w ,]+)$`);
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), body, (status, text) => {
        const failure = readFailure({ status, body: text });
        if (status < 200 || status > 299) expect(failure).not.toBeNull();
        if (failure !== null) expect(failure.text).toMatch(plain);
      }),
    );
  });
});
