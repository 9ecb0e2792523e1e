/** Checks of the conformance suite for providers of SMS. */
import fc from "fast-check";
import { expect } from "vitest";
import { Problem, type ProblemCode } from "../../core/errors.ts";
import { createIdSource, newServerId } from "../../core/ids.ts";
import { callEndpoint } from "./call-endpoint.test-aid.ts";
import { readForm } from "../../core/read-form.ts";
import type { Provider, ProviderResponse, SmsProvider } from "../provider.ts";
import { webhookRequest, type SmsSamples } from "./samples.test-aid.ts";
import { memoryServices, startInstant as now, validKey, type MemoryServices } from "./services.test-aid.ts";
import type { OutboundSms } from "../sms.ts";

/** Check of the suite; throws when the provider does not conform. */
export interface SmsCheck<Subject> {
  readonly title: string;
  readonly run: (subject: Subject) => void | Promise<void>;
}

/** Provider whose API sends SMS, with its samples. */
export interface SmsSubject {
  readonly provider: Provider;
  readonly samples: SmsSamples;
}

const sms: OutboundSms = { from: "+15550100", to: "+447700900123", text: "Your code is 482913 & €" };
const url = "http://app.test/inbound?x=1";
const id = "0199aabb-ccdd-8eee-8fff-001122334455";

interface Options {
  readonly key?: string;
  readonly callback?: string | null;
  readonly memory?: MemoryServices;
  readonly fields?: Readonly<Record<string, string>>;
}

async function send(
  { provider, samples }: SmsSubject,
  changes: Partial<OutboundSms>,
  { key = validKey, callback = null, memory = memoryServices(), fields = {} }: Options = {},
): Promise<{ readonly response: ProviderResponse; readonly memory: MemoryServices }> {
  const request = samples.send({ ...sms, ...changes }, { key, callback, fields });
  return { response: await callEndpoint(provider, request, memory.services), memory };
}

const rejected: readonly (readonly [name: string, changes: Partial<OutboundSms>, callback: string | null])[] = [
  ["an empty text", { text: "" }, null],
  ["a text that is too long", { text: "x".repeat(1601) }, null],
  ["an invalid recipient", { to: "nobody" }, null],
  ["an invalid sender", { from: "not a sender id" }, null],
  ["an invalid callback URL", {}, "ftp://app.test/"],
];

const callerProblems: readonly ProblemCode[] = [
  "unauthenticated",
  "forbidden",
  "not_found",
  "too_many_requests",
  "invalid_request",
  "limit_reached",
];

/** Checks of the endpoint that sends SMS. */
export const sendSmsChecks: readonly SmsCheck<SmsSubject>[] = [
  {
    title: "stores an SMS that an application sends and responds with its id",
    run: async (subject) => {
      const { response, memory } = await send(subject, {});
      expect(subject.samples.errorOf(response)).toBeNull();
      expect(subject.samples.idOf(response)).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(memory.sms).toMatchObject([{ ...sms, callback: null }]);
    },
  },
  {
    title: "stores or rejects every documented field, and drops none",
    run: async (subject) => {
      const { furtherFields, rejectedFields = [] } = subject.samples;
      const dropped: string[] = [];
      for (const [name, value] of Object.entries(furtherFields)) {
        const { response, memory } = await send(subject, {}, { fields: { [name]: value } });
        const isRejected = subject.samples.errorOf(response) !== null;
        const isKept = JSON.stringify(memory.sms).includes(JSON.stringify(value).slice(1, -1));
        if (isRejected ? !rejectedFields.includes(name) : !isKept) dropped.push(name);
      }
      expect(dropped).toEqual([]);
    },
  },
  {
    title: "reports the status to the callback URL as a form",
    run: async (subject) => {
      if (subject.samples.lacksCallbacks === true) return;
      const callback = "https://app.test/status";
      const { response, memory } = await send(subject, {}, { callback });
      expect(memory.sms[0]?.callback?.url).toBe(callback);
      const calls = memory.sms[0]?.callback?.calls(createIdSource(() => now).next(newServerId(), "Received").id) ?? [];
      expect(calls.length).toBeGreaterThan(0);
      expect(calls.every(({ body }) => readForm(body).length > 3)).toBe(true);
      expect(subject.samples.errorOf(response)).toBeNull();
    },
  },
  {
    title: "rejects invalid requests in its own shape and stores nothing",
    run: async (subject) => {
      for (const [name, changes, callback] of rejected) {
        if (callback !== null && subject.samples.lacksCallbacks === true) continue;
        const { response, memory } = await send(subject, changes, { callback });
        expect([name, subject.samples.errorOf(response)]).not.toEqual([name, null]);
        expect(memory.sms).toEqual([]);
      }
    },
  },
  {
    title: "has an error for each reason of a refusal",
    run: async (subject) => {
      for (const refusal of ["no_server", "unsubscribed", "callback"] as const) {
        if (refusal === "callback" && subject.samples.lacksCallbacks === true) continue;
        const memory = memoryServices({ refusal });
        const { response } = await send(subject, {}, { memory });
        const isAccepted = refusal === "unsubscribed" && subject.samples.acceptsUnsubscribed === true;
        expect([refusal, subject.samples.errorOf(response) === null]).toEqual([refusal, isAccepted]);
        expect(memory.sms).toEqual([]);
      }
    },
  },
  {
    title: "rejects an unknown key",
    run: async (subject) => {
      const { response, memory } = await send(subject, {}, { key: "wrong" });
      expect(subject.samples.errorOf(response)).not.toBeNull();
      expect(memory.sms).toEqual([]);
    },
  },
  {
    title: "has an error for each problem of the caller",
    run: ({ provider, samples }) => {
      const context = samples.send(sms, { key: validKey, callback: null });
      for (const code of callerProblems) {
        const error = samples.errorOf(provider.errorResponse(new Problem(code), context));
        expect([code, error]).not.toEqual([code, null]);
      }
    },
  },
];

/** Checks of webhooks and the client for the provider's own API. */
export const phoneNumberChecks: readonly SmsCheck<SmsProvider>[] = [
  {
    title: "delivers an SMS to a webhook as its own inbound webhook reads it, for any text",
    run: ({ sms: { deliver, inbound } }) => {
      const server = newServerId();
      fc.assert(
        fc.property(fc.string(), (text) => {
          const request = webhookRequest(url, deliver({ ...sms, text, id, server }, { url, secret: "s3cret", now }));
          const { from, to } = sms;
          expect(inbound.read(request)).toMatchObject({ from, to, text: text.toWellFormed() });
          expect(inbound.isSigned(request, "s3cret", now)).toBe(true);
          expect(inbound.isSigned(request, "another", now)).toBe(false);
          const fields = [...request.form, ["added", "x"]] as const;
          expect(inbound.isSigned({ ...request, form: fields, fields }, "s3cret", now)).toBe(false);
        }),
      );
    },
  },
  {
    title: "does not sign a webhook without a secret",
    run: ({ sms: { deliver, inbound } }) => {
      const request = webhookRequest(url, deliver({ ...sms, id, server: newServerId() }, { url, secret: null, now }));
      expect(request.headers).toEqual({});
      expect(inbound.isSigned(request, "", now)).toBe(false);
    },
  },
  {
    title: "rejects an inbound webhook without fields",
    run: ({ sms: { inbound } }) => {
      expect(() => inbound.read(webhookRequest(url, { body: "", headers: {} }))).toThrow(Problem);
    },
  },
  {
    title: "sends by the provider's own origin unless the account names another base URL",
    run: ({ apiOrigins, sms: { sendApi } }) => {
      const account = { id: "ID1", key: null, secret: "s3cret", apiUrl: null };
      const origin = new URL(sendApi.request(account, sms).url).origin;
      expect(apiOrigins.test(origin)).toBe(true);
      for (const other of [origin.replace("https", "http"), `${origin}:444`, `${origin}.evil.example`]) {
        expect(apiOrigins.test(other)).toBe(false);
      }
      const apiUrl = "http://127.0.0.1:1";
      expect(sendApi.request({ ...account, apiUrl }, sms).url).toMatch(/^http:\/\/127\.0\.0\.1:1\//);
    },
  },
  {
    title: "reads every response of its API, and reports nothing of the body except a code",
    run: ({ label, sms: { sendApi } }) => {
      const body = fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((messages) => `{"messages":[${messages}]}`),
      );
      const plain = new RegExp(`^${label} responded with (?:[\\w ,]+)$`);
      fc.assert(
        fc.property(fc.integer({ min: 100, max: 599 }), body, (status, text) => {
          const failure = sendApi.readFailure({ status, body: text });
          if (status < 200 || status > 299) expect(failure).not.toBeNull();
          if (failure !== null) expect(failure.text).toMatch(plain);
        }),
      );
    },
  },
];
