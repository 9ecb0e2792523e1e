/** Checks of the conformance suite for event webhooks. */
import fc from "fast-check";
import { expect } from "vitest";
import type { EventSamples, ReceivedEvent } from "./callback-samples.test-aid.ts";
import { sampleEvent, sampleEventMail, sampleInstant, sampleSigning, secretsOf } from "./callback-samples.test-aid.ts";
import { expectRefused, hostileText, isPrintableHeader } from "./callback-check.test-aid.ts";
import type {
  CallbackRequest,
  CallbackSigning,
  EventMail,
  EventWebhooks,
  MailEvent,
  NewSecrets,
} from "../callbacks.ts";
import { fieldDifferences } from "./field-types.test-aid.ts";

/** Event webhook with its samples. */
export interface EventSubject {
  readonly webhooks: EventWebhooks;
  readonly samples: EventSamples;
  /** Mail id that is valid for the provider. */
  readonly providerId: string;
}

/** Check of the suite; rejects when the provider does not conform. */
export interface EventWebhookCheck {
  readonly title: string;
  readonly run: (subject: EventSubject) => Promise<void> | void;
}

function mailOf({ providerId }: EventSubject, changes: Partial<EventMail> = {}): EventMail {
  return sampleEventMail({ providerId, messageId: providerId.replaceAll(/[<>]/g, ""), ...changes });
}

function eventsOf(subject: EventSubject, changes: Partial<MailEvent> = {}): readonly MailEvent[] {
  return subject.webhooks.types.map((type) => sampleEvent(type, { mail: mailOf(subject), ...changes }));
}

async function render(
  { webhooks, samples }: EventSubject,
  events: readonly MailEvent[],
): Promise<{ readonly request: CallbackRequest; readonly created: NewSecrets }> {
  const created = await secretsOf(webhooks, samples.given);
  return { request: webhooks.render(events, signingOf(samples, created)), created };
}

function signingOf({ options = {} }: EventSamples, { secrets }: NewSecrets): CallbackSigning {
  return sampleSigning(secrets, { options });
}

async function isAccepted(subject: EventSubject, request: CallbackRequest, created: NewSecrets): Promise<boolean> {
  return subject.samples.verify(request, { url: "https://app.example/hook", created, now: sampleInstant });
}

function onlyEvent(subject: EventSubject, request: CallbackRequest): ReceivedEvent {
  const received = subject.samples.read(request);
  expect(received).toHaveLength(1);
  return received[0] as ReceivedEvent;
}

/** Strings of a mail and an event that come from strangers. */
function hostileEvents(subject: EventSubject): fc.Arbitrary<MailEvent> {
  const { webhooks } = subject;
  const text = hostileText();
  const facts = fc.record({
    tags: fc.array(text, { maxLength: 3 }),
    metadata: fc.dictionary(text, text, { maxKeys: 3 }),
    template: fc.option(fc.record({ id: text, data: fc.jsonValue() })),
  });
  const mail = fc
    .record({ from: text, to: fc.array(text, { maxLength: 3 }), subject: text, messageId: text, server: text, facts })
    .map((changes) => sampleEventMail({ providerId: subject.providerId, ...changes }));
  const details = fc.record(
    { reason: text, status: text, code: fc.integer(), url: text, ip: text, userAgent: text },
    { requiredKeys: [] },
  );
  return fc
    .record({ type: fc.constantFrom(...webhooks.types), recipient: text, mail, details })
    .map(({ type, ...changes }) => sampleEvent(type, changes));
}

/** All checks, in the order in which they run. */
export const eventWebhookChecks: readonly EventWebhookCheck[] = [
  {
    title: "renders every type with the fields and JSON types of the provider",
    run: async (subject) => {
      for (const event of eventsOf(subject)) {
        const { members, extraNames } = onlyEvent(subject, (await render(subject, [event])).request);
        const table = subject.samples.fields[event.type] ?? {};
        expect([event.type, fieldDifferences(members, table, extraNames)]).toEqual([event.type, []]);
      }
    },
  },
  {
    title: "has another body for every type, and names the recipient and the mail",
    run: async (subject) => {
      const rendered = await Promise.all(eventsOf(subject).map(async (event) => render(subject, [event])));
      const received = rendered.map(({ request }) => onlyEvent(subject, request));
      expect(new Set(received.map(({ members }) => JSON.stringify(members))).size).toBe(received.length);
      for (const { recipient, mailId } of received) {
        expect(recipient).toBe("ada@abcd1234.restante.test");
        expect(mailId).toContain(subject.providerId.replaceAll(/[<>]/g, ""));
      }
    },
  },
  {
    title: "shows tags and metadata",
    run: async (subject) => {
      const { showsTags, showsMetadata } = subject.samples;
      for (const event of eventsOf(subject)) {
        const { tags, metadata } = onlyEvent(subject, (await render(subject, [event])).request);
        if (showsTags) expect([event.type, tags]).toEqual([event.type, ["receipt"]]);
        if (showsMetadata) expect([event.type, metadata]).toMatchObject([event.type, { order: "1001", region: "eu" }]);
      }
    },
  },
  {
    title: "renders the same body for the same events",
    run: async ({ webhooks, samples, providerId }) => {
      const signing = signingOf(samples, await secretsOf(webhooks, samples.given));
      for (const type of webhooks.types) {
        const event = sampleEvent(type, { mail: sampleEventMail({ providerId }) });
        const bodies = [1, 2].map(() => Buffer.from(webhooks.render([event], signing).body));
        expect(bodies[0]?.equals(bodies[1] ?? Buffer.alloc(0))).toBe(true);
      }
    },
  },
  {
    title: "sends as many events in one request as it declares",
    run: async (subject) => {
      const count = Math.min(subject.webhooks.batchCountMax, 50);
      const [event] = eventsOf(subject) as [MailEvent];
      const { request } = await render(
        subject,
        Array.from({ length: count }, (_none, at) => ({ ...event, recipient: `r${at}@abcd1234.restante.test` })),
      );
      const recipients = subject.samples.read(request).map(({ recipient }) => recipient);
      expect(recipients).toEqual(Array.from({ length: count }, (_none, at) => `r${at}@abcd1234.restante.test`));
    },
  },
  {
    title: "is accepted by the verification of the provider, and refused when altered or forged",
    run: async (subject) => {
      const other = await subject.webhooks.createSecrets({});
      for (const event of eventsOf(subject)) {
        const { request, created } = await render(subject, [event]);
        expect(await isAccepted(subject, request, created)).toBe(true);
        const altered = Object.entries(subject.samples.altered(request));
        expect(altered.length).toBeGreaterThan(0);
        for (const [change, one] of [...altered, ["forged", subject.webhooks.forge(request)] as const]) {
          await expectRefused(change, async () => isAccepted(subject, one, created));
        }
        await expectRefused("other secrets", async () => isAccepted(subject, request, other));
      }
    },
  },
  {
    title: "is refused when any byte of a signed body changes",
    run: async (subject) => {
      if (!subject.samples.signsBody) return;
      const { request, created } = await render(subject, [sampleEvent(subject.webhooks.types[0] ?? "delivered")]);
      const change = fc.tuple(fc.nat(request.body.byteLength - 1), fc.integer({ min: 1, max: 127 }));
      await fc.assert(
        fc.asyncProperty(change, async ([at, bits]) => {
          const body = Uint8Array.from(request.body, (byte, index) => (index === at ? byte ^ bits : byte));
          await expectRefused(`byte ${at}`, async () => isAccepted(subject, { ...request, body }, created));
        }),
        { numRuns: 20 },
      );
    },
  },
  {
    title: "makes secrets that differ for every target, and keeps given ones",
    run: async ({ webhooks, samples }) => {
      const one = await webhooks.createSecrets({});
      const other = await webhooks.createSecrets({});
      expect(one.secrets).not.toEqual(other.secrets);
      for (const name of Object.keys(samples.given)) {
        expect(webhooks.settings.filter(({ isSecret }) => isSecret).map((setting) => setting.name)).toContain(name);
      }
      if (Object.keys(samples.given).length > 0) {
        expect(await webhooks.createSecrets(samples.given)).toEqual(await webhooks.createSecrets(samples.given));
      }
    },
  },
  {
    title: "renders any values as one valid, verifiable event",
    run: async (subject) => {
      await fc.assert(
        fc.asyncProperty(hostileEvents(subject), async (event) => {
          const { request, created } = await render(subject, [event]);
          for (const [name, value] of Object.entries(request.headers))
            expect(isPrintableHeader(name, value)).toBe(true);
          const { members, extraNames = [], recipient } = onlyEvent(subject, request);
          expect(recipient).toBe(event.recipient.toWellFormed());
          const names = [...extraNames, ...Object.keys(event.mail.facts.metadata)];
          const differences = fieldDifferences(members, subject.samples.fields[event.type] ?? {}, names);
          expect(differences.filter((one) => !one.endsWith(": missing"))).toEqual([]);
          expect(await isAccepted(subject, request, created)).toBe(true);
        }),
        { numRuns: 60 },
      );
    },
  },
  {
    title: "sends a user and password as Basic authentication where it has the setting",
    run: async ({ webhooks, samples }) => {
      if (!webhooks.settings.some(({ name }) => name === "basicAuth")) return;
      const { secrets } = await webhooks.createSecrets({ ...samples.given, basicAuth: "usér:p:ss" });
      const signing = sampleSigning(secrets, { options: samples.options ?? {} });
      const { headers } = webhooks.render([sampleEvent(webhooks.types[0] ?? "delivered")], signing);
      expect(headers["authorization"]).toBe(`Basic ${Buffer.from("usér:p:ss").toString("base64")}`);
    },
  },
  {
    title: "declares outcomes and automatic events of its own types only",
    run: ({ webhooks }) => {
      expect(webhooks.automatic.filter((type) => !webhooks.types.includes(type))).toEqual([]);
      expect(new Set(webhooks.types).size).toBe(webhooks.types.length);
      expect(webhooks.outcomeOf?.("ada@abcd1234.restante.test")).toBeUndefined();
      expect(webhooks.batchCountMax).toBeGreaterThan(0);
      expect(webhooks.verification).toMatch(/^[A-Z].*\.$/);
    },
  },
];
