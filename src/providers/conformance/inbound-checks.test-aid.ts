/** Checks of the conformance suite for inbound shapes. */
import fc from "fast-check";
import { expect } from "vitest";
import { expectRefused, hostileText, isPrintableHeader } from "./callback-check.test-aid.ts";
import type { InboundSamples, InboundVariant } from "./callback-samples.test-aid.ts";
import { sampleInboundMail, sampleInstant, sampleSigning, secretsOf } from "./callback-samples.test-aid.ts";
import type { CallbackRequest, CallbackSigning, InboundMail, InboundShape, NewSecrets } from "../callbacks.ts";
import { fieldDifferences } from "./field-types.test-aid.ts";

/** Inbound shape with its samples and one of its variants. */
export interface InboundSubject {
  readonly shape: InboundShape;
  readonly samples: InboundSamples;
  readonly variant: InboundVariant;
}

/** Check of the suite; rejects when the shape does not conform. */
export interface InboundCheck {
  readonly title: string;
  readonly run: (subject: InboundSubject) => Promise<void>;
}

interface Rendered {
  readonly request: CallbackRequest;
  readonly created: NewSecrets;
}

async function render({ shape, samples, variant }: InboundSubject, mail: InboundMail): Promise<Rendered> {
  const created = await secretsOf(shape, samples.given);
  const signing = sampleSigning(created.secrets, settingsOf(variant));
  return { request: shape.render(mail, variant.options, signing), created };
}

function settingsOf({ options, path = "/inbound" }: InboundVariant): Partial<CallbackSigning> {
  return { options, url: `https://app.example${path}` };
}

async function isAccepted({ samples, variant }: InboundSubject, { request, created }: Rendered): Promise<boolean> {
  const { url } = sampleSigning({}, settingsOf(variant));
  return samples.verify(request, { url, created, now: sampleInstant });
}

function hostileMails(): fc.Arbitrary<InboundMail> {
  const text = hostileText();
  const addresses = fc.array(fc.record({ name: text, address: text }), { maxLength: 3 });
  const attachments = fc.array(
    fc.record({
      fileName: text,
      contentType: fc.constantFrom("text/plain", "image/png", 'x/y; name="a"\r\nX: y'),
      contentId: fc.option(text),
      isInline: fc.boolean(),
      content: fc.uint8Array({ maxLength: 50 }),
    }),
    { maxLength: 3 },
  );
  const envelope = fc.record({ from: text, to: fc.array(text, { minLength: 1, maxLength: 3 }) });
  const texts = { recipient: text, replyTo: text, subject: text, date: text, messageId: text, text, html: text };
  const stripped = {
    strippedText: text,
    strippedSignature: text,
    strippedHtml: text,
    rawHeaders: text,
    clientIp: text,
  };
  const headers = fc.array(fc.tuple(text, text), { maxLength: 4 });
  const verdicts = fc.record({ spf: text, dkim: text, dmarc: text });
  const raw = fc.oneof(fc.uint8Array({ maxLength: 100 }), fc.constant(Buffer.from("\r\n--x--\r\n\u0000ÿ", "latin1")));
  return fc
    .record({
      ...texts,
      ...stripped,
      envelope,
      from: addresses,
      to: addresses,
      cc: addresses,
      attachments,
      headers,
      raw,
      verdicts,
    })
    .map((changes) => sampleInboundMail(changes));
}

/** All checks, in the order in which they run. */
export const inboundChecks: readonly InboundCheck[] = [
  {
    title: "renders the fields and types of the provider",
    run: async (subject) => {
      for (const mail of [sampleInboundMail(), sampleInboundMail({ attachments: [], html: "", cc: [], replyTo: "" })]) {
        const { members, extraNames } = await subject.variant.read((await render(subject, mail)).request);
        expect(fieldDifferences(members, subject.variant.fields, extraNames)).toEqual([]);
      }
    },
  },
  {
    title: "shows the mail",
    run: async (subject) => {
      const mail = sampleInboundMail();
      const received = await subject.variant.read((await render(subject, mail)).request);
      const { subject: title, text, html, strippedText, recipient, raw, attachments } = received;
      const shown = { subject: title, text, html, strippedText, recipient };
      for (const [name, value] of Object.entries(shown)) {
        if (value !== undefined) expect([name, value]).toEqual([name, mail[name as keyof typeof shown]]);
      }
      if (raw !== undefined) expect(Buffer.from(raw).equals(mail.raw)).toBe(true);
      if (attachments !== undefined) {
        expect(attachments.map(({ fileName }) => fileName)).toEqual(["invoice.pdf", "logo.png"]);
        for (const [at, { content }] of attachments.entries()) {
          expect(Buffer.from(content).equals(mail.attachments[at]?.content ?? Buffer.alloc(0))).toBe(true);
        }
      }
      expect(text ?? raw).toBeDefined();
    },
  },
  {
    title: "renders the same body for the same mail",
    run: async ({ shape, samples, variant }) => {
      const { secrets } = await secretsOf(shape, samples.given);
      const signing = sampleSigning(secrets, settingsOf(variant));
      const [one, other] = [1, 2].map(() => shape.render(sampleInboundMail(), variant.options, signing));
      expect(Buffer.from(one?.body ?? []).equals(other?.body ?? Buffer.from("none"))).toBe(true);
      expect(one?.contentType).toBe(other?.contentType);
    },
  },
  {
    title: "is accepted by the verification of the provider, and refused when altered or forged",
    run: async (subject) => {
      const rendered = await render(subject, sampleInboundMail());
      expect(await isAccepted(subject, rendered)).toBe(true);
      const altered = Object.entries(subject.samples.altered(rendered.request));
      expect(altered.length).toBeGreaterThan(0);
      for (const [change, request] of [...altered, ["forged", subject.shape.forge(rendered.request)] as const]) {
        await expectRefused(change, async () => isAccepted(subject, { ...rendered, request }));
      }
      const created = await subject.shape.createSecrets({});
      await expectRefused("other secrets", async () => isAccepted(subject, { ...rendered, created }));
    },
  },
  {
    title: "is refused when any byte of a signed body changes",
    run: async (subject) => {
      if (!subject.samples.signsBody) return;
      const rendered = await render(subject, sampleInboundMail());
      const { request } = rendered;
      const change = fc.tuple(fc.nat(request.body.byteLength - 1), fc.integer({ min: 1, max: 127 }));
      await fc.assert(
        fc.asyncProperty(change, async ([at, bits]) => {
          const body = Uint8Array.from(request.body, (byte, index) => (index === at ? byte ^ bits : byte));
          await expectRefused(`byte ${at}`, async () =>
            isAccepted(subject, { ...rendered, request: { ...request, body } }),
          );
        }),
        { numRuns: 20 },
      );
    },
  },
  {
    title: "renders any mail as one valid, verifiable request",
    run: async (subject) => {
      await fc.assert(
        fc.asyncProperty(hostileMails(), async (mail) => {
          const rendered = await render(subject, mail);
          const { headers, contentType } = rendered.request;
          for (const [name, value] of [...Object.entries(headers), ["content-type", contentType] as const]) {
            expect([name, value, isPrintableHeader(name, value)]).toEqual([name, value, true]);
          }
          const { members, extraNames, raw, attachments } = await subject.variant.read(rendered.request);
          const differences = fieldDifferences(members, subject.variant.fields, extraNames);
          expect(differences.filter((one) => !one.endsWith(": missing"))).toEqual([]);
          if (raw !== undefined) expect(Buffer.from(raw).equals(mail.raw)).toBe(true);
          if (attachments !== undefined) expect(attachments).toHaveLength(mail.attachments.length);
          expect(await isAccepted(subject, rendered)).toBe(true);
        }),
        { numRuns: 40 },
      );
    },
  },
  {
    title: "sends a user and password as Basic authentication where it has the setting",
    run: async ({ shape, samples, variant }) => {
      if (!shape.settings.some(({ name }) => name === "basicAuth")) return;
      const { secrets } = await shape.createSecrets({ ...samples.given, basicAuth: "user:p:ss" });
      const { headers } = shape.render(
        sampleInboundMail(),
        variant.options,
        sampleSigning(secrets, settingsOf(variant)),
      );
      expect(headers["authorization"]).toBe(`Basic ${btoa("user:p:ss")}`);
    },
  },
];
