/** Checks that mail providers submit every field of a mail. */
import { expect } from "vitest";
import { accepted, draftOf, send, type EmailCheck, type EmailSubject } from "./email-check.test-aid.ts";
import { fullSample, minimalSample } from "./sample-emails.test-aid.ts";

/** Checks of the fields of a mail. */
export const fieldChecks: readonly EmailCheck[] = [
  {
    title: "accepts a mail and submits all of its fields",
    run: async (subject) => {
      const mail = fullSample(subject.support.features);
      const email = accepted(subject, await send(subject, mail));
      const draft = draftOf(email);
      const { to, cc = [], bcc = [], replyTo, subject: subjectText, text, html } = mail;
      const from = subject.samples.lacksSenderName === true ? { ...mail.from, name: "" } : mail.from;
      const bodies = subject.samples.hasOneBody === true ? { text: null, html } : { text, html };
      expect(draft).toMatchObject({ from, to, cc, bcc, replyTo: [replyTo], subject: subjectText, ...bodies });
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
      expect(email.facts).toEqual({ tags: subject.samples.ownTags ?? [], metadata: {}, template: null });
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
