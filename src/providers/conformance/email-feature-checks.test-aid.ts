/** Checks of the features that mail providers declare. */
import { expect } from "vitest";
import {
  accepted,
  call,
  draftOf,
  expectError,
  expectSuccess,
  options,
  required,
  send,
  type EmailCheck,
} from "./email-check.test-aid.ts";
import type { ProviderResponse } from "../provider.ts";
import { minimalSample } from "./sample-emails.test-aid.ts";
import { memoryServices, startInstant } from "./services.test-aid.ts";

const sendAt = startInstant + 3_600_000;

/** Checks of batches, sandbox mode, schedules, idempotency keys and of reading mail back. */
export const featureChecks: readonly EmailCheck[] = [
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
      expectSuccess(subject, response);
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
      expectSuccess(subject, response);
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
      expectSuccess(subject, response);
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
      expectSuccess(subject, response);
      expect(response.body?.text).toContain(minimalSample.subject);
      expectError(subject, await call(subject, request));
    },
  },
];

const data = { name: "Zoë", code: "482913" };

/** Checks of templates. */
export const templateChecks: readonly EmailCheck[] = [
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
      const { steps, idOf, isHtmlOnly = false } = required("stored templates", subject.samples.storeTemplate);
      const memory = memoryServices();
      const earlier: ProviderResponse[] = [];
      const template = { name: "welcome", subject: "Hello 482913", text: "Plain 482913", html: "<p>Html 482913</p>" };
      for (const step of steps) {
        const { response } = await call(subject, step(template, { ...options, earlier }), memory);
        expectSuccess(subject, response);
        earlier.push(response);
      }
      const id = idOf(earlier);
      const { text: _text, ...mail } = minimalSample;
      const email = accepted(subject, await send(subject, { ...mail, template: { id, data } }, memory));
      expect(email.facts.template).toEqual({ id, data });
      expect(memory.templateJobs.length).toBeGreaterThan(0);
      const { text, html } = draftOf(email);
      expect(html?.split("|")[0]).toBe(template.html);
      expect(text?.split("|")[0]).toBe(isHtmlOnly ? undefined : template.text);
    },
  },
];
