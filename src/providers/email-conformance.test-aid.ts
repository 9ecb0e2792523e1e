/** Checks of the conformance suite for mail providers. */
import fc from "fast-check";
import { expect } from "vitest";
import { Problem, type ProblemCode } from "../core/errors.ts";
import { callEndpoint } from "./call-endpoint.test-aid.ts";
import type { EmailDraft, EmailFeature, EmailSupport } from "./email.ts";
import type { Provider, ProviderRequest, ProviderResponse } from "./provider.ts";
import { rejectionNames, type EmailSamples, type SampleEmail } from "./samples.test-aid.ts";
import { fullSample, minimalSample } from "./sample-emails.test-aid.ts";
import { memoryServices, startInstant, validKey, type KeptEmail, type MemoryServices } from "./services.test-aid.ts";

/** Mail provider with its samples. */
export interface EmailSubject {
  readonly provider: Provider;
  readonly support: EmailSupport;
  readonly samples: EmailSamples;
}

/** Check of the suite; rejects when the provider does not conform. */
export interface EmailCheck {
  readonly title: string;
  /** Feature that the check covers; skipped for providers that do not declare it. */
  readonly feature?: EmailFeature;
  readonly run: (subject: EmailSubject) => Promise<void>;
}

const options = { key: validKey } as const;

interface Sent {
  readonly response: ProviderResponse;
  readonly memory: MemoryServices;
}

async function call(
  { provider }: EmailSubject,
  request: ProviderRequest,
  memory: MemoryServices = memoryServices(),
): Promise<Sent> {
  return { response: await callEndpoint(provider, request, memory.services), memory };
}

async function send(subject: EmailSubject, mail: SampleEmail, memory?: MemoryServices): Promise<Sent> {
  return call(subject, subject.samples.send(mail, options), memory);
}

/** Returns the only mail that was stored; fails for an error response. */
function accepted({ samples, support }: EmailSubject, { response, memory }: Sent): KeptEmail {
  expect(samples.errorOf(response), JSON.stringify(response)).toBeNull();
  expect(memory.emails).toHaveLength(1);
  const [email] = memory.emails as [KeptEmail];
  expect(samples.idsOf(response)).toEqual([email.providerId]);
  expect(support.uuidOf(email.providerId)).toBe(email.uuid);
  return email;
}

function draftOf({ content }: KeptEmail): EmailDraft {
  if (content instanceof Uint8Array) throw new Error("the sample was submitted as a whole mail, not as a draft");
  return content;
}

function expectError({ samples }: EmailSubject, { response, memory }: Sent, stored = 0): void {
  expect(samples.errorOf(response), JSON.stringify(response)).not.toBeNull();
  expect(memory.emails).toHaveLength(stored);
}

function required<Sample>(feature: EmailFeature, sample: Sample | undefined): Sample {
  if (sample === undefined) throw new Error(`the samples have no request for the feature "${feature}"`);
  return sample;
}

const acceptChecks: readonly EmailCheck[] = [
  {
    title: "accepts a mail and submits all of its fields",
    run: async (subject) => {
      const mail = fullSample(subject.support.features);
      const email = accepted(subject, await send(subject, mail));
      const draft = draftOf(email);
      const { from, to, cc = [], bcc = [], replyTo, subject: subjectText, text, html } = mail;
      expect(draft).toMatchObject({ from, to, cc, bcc, replyTo: [replyTo], subject: subjectText, text, html });
      const addresses = [...to, ...cc, ...bcc].map(({ address }) => address);
      expect(email.recipients.toSorted()).toEqual(addresses.toSorted());
      expect(email.mailFrom).toMatch(/^[^@\s<>]+@[^@\s<>]+$/);
      expect(email.sendAt).toBeNull();
      expect(email.messageId ?? "<a@b>").toMatch(/^<[^<>@\s]+@[^<>@\s]+>$/);
    },
  },
  {
    title: "accepts a mail with the required fields only",
    run: async (subject) => {
      const email = accepted(subject, await send(subject, minimalSample));
      expect(draftOf(email)).toMatchObject({ text: minimalSample.text, html: null, cc: [], bcc: [], attachments: [] });
      expect(email.facts).toEqual({ tags: [], metadata: {}, template: null });
    },
  },
  {
    title: "submits attachments to the byte",
    feature: "attachments",
    run: async (subject) => expectAttachments(subject, false),
  },
  {
    title: "submits inline images to the byte",
    feature: "inline images",
    run: async (subject) => expectAttachments(subject, true),
  },
  {
    title: "submits custom header fields",
    feature: "custom headers",
    run: async (subject) => {
      const { headers = {} } = fullSample(["custom headers"]);
      const draft = draftOf(accepted(subject, await send(subject, { ...minimalSample, headers })));
      expect(draft.headers).toEqual(expect.arrayContaining(Object.entries(headers)));
    },
  },
  {
    title: "stores tags",
    feature: "tags",
    run: async (subject) => {
      const { facts } = accepted(subject, await send(subject, { ...minimalSample, tags: ["welcome"] }));
      expect(facts.tags).toEqual(["welcome"]);
    },
  },
  {
    title: "stores metadata",
    feature: "metadata",
    run: async (subject) => {
      const metadata = { user_id: "42", plan: "pro" };
      const { facts } = accepted(subject, await send(subject, { ...minimalSample, metadata }));
      expect(facts.metadata).toEqual(metadata);
    },
  },
];

async function expectAttachments(subject: EmailSubject, isInline: boolean): Promise<void> {
  const { attachments = [], html } = fullSample(["attachments", "inline images"]);
  const chosen = attachments.filter(({ contentId }) => (contentId !== undefined) === isInline);
  const draft = draftOf(accepted(subject, await send(subject, { ...minimalSample, html, attachments: chosen })));
  expect(draft.attachments.map((one) => [one.fileName, one.isInline])).toEqual(
    chosen.map(({ fileName }) => [fileName, isInline]),
  );
  const types = draft.attachments.map(({ contentType }) => contentType.split(";")[0]);
  expect(types).toEqual(chosen.map(({ contentType }) => contentType));
  if (isInline) {
    expect(draft.attachments.map(({ contentId }) => contentId)).toEqual(chosen.map(({ contentId }) => contentId));
  }
  for (const [at, { content }] of chosen.entries()) {
    expect(Buffer.from(content).equals(draft.attachments[at]?.content ?? new Uint8Array())).toBe(true);
  }
}

const sendAt = startInstant + 3_600_000;

const featureChecks: readonly EmailCheck[] = [
  {
    title: "accepts several mails in one request",
    feature: "batch",
    run: async (subject) => {
      const { provider, samples, support } = subject;
      const recipients = ["first@shop.example", "second@shop.example", "third@shop.example"];
      const mails = recipients.map((address) => ({ ...minimalSample, to: [{ name: "", address }] }));
      const { path, request } = required("batch", samples.batch)(mails, options);
      expect(provider.endpoints.map((one) => `${one.method} ${one.path}`)).toContain(`${request.method} ${path}`);
      const { response, memory } = await call(subject, request);
      expect(samples.errorOf(response), JSON.stringify(response)).toBeNull();
      expect(memory.emails.flatMap((one) => one.recipients)).toEqual(recipients);
      const uuids = memory.emails.map(({ uuid }) => uuid);
      expect(memory.emails.map(({ providerId }) => support.uuidOf(providerId))).toEqual(uuids);
      const reported = samples.idsOf(response).map((id) => support.uuidOf(id));
      expect(reported.length).toBeGreaterThan(0);
      expect(uuids).toEqual(expect.arrayContaining(reported));
    },
  },
  {
    title: "stores nothing in sandbox mode",
    feature: "sandbox",
    run: async (subject) => {
      const { response, memory } = await send(subject, { ...minimalSample, sandbox: true });
      expect(subject.samples.errorOf(response), JSON.stringify(response)).toBeNull();
      expect(memory.emails).toEqual([]);
    },
  },
  {
    title: "schedules a mail",
    feature: "schedule",
    run: async (subject) => {
      const email = accepted(subject, await send(subject, { ...minimalSample, sendAt }));
      expect(email.sendAt).toBe(sendAt);
    },
  },
  {
    title: "cancels a scheduled mail",
    feature: "cancel",
    run: async (subject) => {
      const cancel = required("cancel", subject.samples.cancel);
      const sent = await send(subject, { ...minimalSample, sendAt });
      const { request } = cancel(accepted(subject, sent).providerId, options);
      const { response } = await call(subject, request, sent.memory);
      expect(subject.samples.errorOf(response), JSON.stringify(response)).toBeNull();
      expect(sent.memory.emails).toEqual([]);
    },
  },
  {
    title: "stores a mail once for an idempotency key",
    feature: "idempotency",
    run: async (subject) => {
      const mail = { ...minimalSample, idempotencyKey: "order-4711" };
      const first = await send(subject, mail);
      const { providerId } = accepted(subject, first);
      const second = await send(subject, mail, first.memory);
      const isRepeated = subject.samples.errorOf(second.response) === null;
      if (isRepeated) expect(subject.samples.idsOf(second.response)).toEqual([providerId]);
      await send(subject, { ...mail, subject: "Another mail" }, first.memory);
      expect(first.memory.emails).toHaveLength(1);
    },
  },
  {
    title: "reads a mail back",
    feature: "read back",
    run: async (subject) => {
      const get = required("read back", subject.samples.get);
      const sent = await send(subject, minimalSample);
      const { request } = get(accepted(subject, sent).providerId, options);
      const { response } = await call(subject, request, sent.memory);
      expect(subject.samples.errorOf(response), JSON.stringify(response)).toBeNull();
      expect(response.body?.text).toContain(minimalSample.subject);
      expectError(subject, await call(subject, request));
    },
  },
];

const data = { name: "Zoë", code: "482913" };

const templateChecks: readonly EmailCheck[] = [
  {
    title: "shows the id and the data of a template that is not stored",
    feature: "templates of the provider",
    run: async (subject) => {
      const id = subject.samples.templateId ?? "welcome";
      const { text: _text, ...mail } = minimalSample;
      const email = accepted(subject, await send(subject, { ...mail, template: { id, data } }));
      expect(email.facts.template).toEqual({ id, data });
      const { subject: subjectText, text, html } = draftOf(email);
      const shown = [subjectText, text, html].join("\n");
      expect([id, ...Object.values(data)].filter((part) => !shown.includes(part))).toEqual([]);
    },
  },
  {
    title: "renders a stored template with the data of the mail",
    feature: "stored templates",
    run: async (subject) => {
      const { steps, idOf } = required("stored templates", subject.samples.storeTemplate);
      const memory = memoryServices();
      const earlier: ProviderResponse[] = [];
      const template = { name: "welcome", subject: "Hello 482913", text: "Plain 482913", html: "<p>Html 482913</p>" };
      for (const step of steps) {
        const { response } = await call(subject, step(template, { ...options, earlier }), memory);
        expect(subject.samples.errorOf(response), JSON.stringify(response)).toBeNull();
        earlier.push(response);
      }
      const id = idOf(earlier);
      const { text: _text, ...mail } = minimalSample;
      const email = accepted(subject, await send(subject, { ...mail, template: { id, data } }, memory));
      expect(email.facts.template).toEqual({ id, data });
      expect(memory.templateJobs.length).toBeGreaterThan(0);
      const { text, html } = draftOf(email);
      expect([text?.split("|")[0], html?.split("|")[0]]).toEqual([template.text, template.html]);
    },
  },
];

const statusOf = ({ response: { status } }: Sent): number => status;

const errorChecks: readonly EmailCheck[] = [
  {
    title: "rejects an unknown and a missing key with 401 or 403",
    run: async (subject) => {
      const request = subject.samples.send(minimalSample, { key: "wrong" });
      for (const one of [request, { ...request, key: null }]) {
        const sent = await call(subject, one);
        expectError(subject, sent);
        expect([401, 403]).toContain(statusOf(sent));
      }
    },
  },
  {
    title: "rejects invalid requests with its own errors and stores nothing",
    run: async (subject) => {
      const { samples } = subject;
      const rejected = samples.rejected(validKey);
      const { withoutRejections = {} } = samples;
      const missing = rejectionNames.filter((name) => !(name in rejected) && !(name in withoutRejections));
      expect(missing).toEqual([]);
      const expected = Object.entries(rejected).map(([name, { error }]) => [name, error, 0]);
      const actual = Object.entries(rejected).map(async ([name, { request }]) => {
        const { response, memory } = await call(subject, request);
        return [name, samples.errorOf(response), memory.emails.length];
      });
      expect(await Promise.all(actual)).toEqual(expected);
    },
  },
  {
    title: "has an error for recipients without a server",
    run: async (subject) => {
      expectError(subject, await send(subject, minimalSample, memoryServices({ refusal: "no_server" })));
    },
  },
  {
    title: "has errors for problems of the request that no endpoint handles",
    run: async (subject) => {
      const context = subject.samples.send(minimalSample, options);
      const codes: readonly ProblemCode[] = [
        ...["unauthenticated", "forbidden", "not_found", "method_not_allowed", "conflict", "invalid_request"],
        ...["body_too_large", "message_too_large", "unsupported_media_type", "too_many_requests", "limit_reached"],
      ] as readonly ProblemCode[];
      for (const code of codes) {
        const response = subject.provider.errorResponse(new Problem(code), context);
        expect([code, response.status >= 400 && response.status < 500]).toEqual([code, true]);
        expect([code, subject.samples.errorOf(response)]).not.toEqual([code, null]);
      }
    },
  },
  {
    title: "has errors for wrong methods and unknown paths",
    run: async (subject) => {
      const request = subject.samples.send(minimalSample, options);
      const method = (["DELETE", "PATCH", "PUT"] as const).find(
        (one) => !subject.provider.endpoints.some(({ method: own }) => own === one),
      );
      expectError(subject, await call(subject, { ...request, path: "/no/such/path" }));
      if (method !== undefined) expectError(subject, await call(subject, { ...request, method }));
    },
  },
  {
    title: "returns the UUID of any provider id, and nothing for other text",
    run: async (subject) => {
      const { identify } = accepted(subject, await send(subject, minimalSample));
      const { uuidOf } = subject.support;
      fc.assert(fc.property(fc.uuid(), (uuid) => expect(uuidOf(identify(uuid).providerId)).toBe(uuid)));
      const ids = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.base64String());
      fc.assert(
        fc.property(ids, (id) => expect(uuidOf(id)).toMatch(/^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/)),
      );
    },
  },
];

/** All checks of mail providers. */
export const emailChecks: readonly EmailCheck[] = [
  ...acceptChecks,
  ...featureChecks,
  ...templateChecks,
  ...errorChecks,
];
