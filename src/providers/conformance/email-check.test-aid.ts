/** Check of the conformance suite for mail providers, and what checks share. */
import { expect } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import type { Contact } from "../../core/message.ts";
import { decodeBytes, joinTexts } from "../../mime/body-content.ts";
import { parseMail } from "../../mime/parse-mail.ts";
import type { Part } from "../../mime/part.ts";
import { callEndpoint } from "./call-endpoint.test-aid.ts";
import type { DraftMailbox, EmailDraft, EmailFeature, EmailSupport } from "../email.ts";
import type { Provider, ProviderRequest, ProviderResponse } from "../provider.ts";
import type { EmailSamples, SampleEmail } from "./samples.test-aid.ts";
import { memoryServices, validKey, type KeptEmail, type MemoryServices } from "./services.test-aid.ts";

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

/** Options of valid requests. */
export const options: { readonly key: string } = { key: validKey };

/** Response to a request, and the services it was sent to. */
export interface Sent {
  readonly response: ProviderResponse;
  readonly memory: MemoryServices;
}

/** Sends a request to the provider. */
export async function call(
  { provider }: EmailSubject,
  request: ProviderRequest,
  memory: MemoryServices = memoryServices(),
): Promise<Sent> {
  return { response: await callEndpoint(provider, request, memory.services), memory };
}

/** Sends a mail to the provider. */
export async function send(subject: EmailSubject, mail: SampleEmail, memory?: MemoryServices): Promise<Sent> {
  return call(subject, subject.samples.send(mail, options), memory);
}

/** Fails, and shows the response, when it is an error. */
export function expectSuccess({ samples }: EmailSubject, response: ProviderResponse): void {
  expect({ error: samples.errorOf(response), response }).toEqual({ error: null, response });
}

/** Returns the only mail that was stored; fails for an error response. */
export function accepted(subject: EmailSubject, { response, memory }: Sent): KeptEmail {
  const { samples, support } = subject;
  expectSuccess(subject, response);
  expect(memory.emails).toHaveLength(1);
  const [email] = memory.emails as [KeptEmail];
  expect(samples.idsOf(response)).toEqual([email.providerId]);
  expect(support.uuidOf(email.providerId)).toBe(email.uuid);
  return email;
}

/** Returns the draft of a mail, which is read from a whole mail. */
export function draftOf({ content }: KeptEmail): EmailDraft {
  return content instanceof Uint8Array ? draftOfMail(content) : content;
}

function draftOfMail(raw: Uint8Array): EmailDraft {
  const mail = parseMail(raw, defaultLimits);
  const mailboxes = (contacts: readonly Contact[]): readonly DraftMailbox[] =>
    contacts.map(({ name, email }) => ({ name, address: email ?? "" }));
  const isText = ({ mediaType, fileName }: Part): boolean => mediaType.startsWith("text/") && fileName === null;
  const leaves = (part: Part): readonly Part[] => (part.children.length === 0 ? [part] : part.children.flatMap(leaves));
  const files = leaves(mail.root).filter((part) => !isText(part));
  const [from = { name: "", address: "" }] = mailboxes(mail.from);
  return {
    from,
    to: mailboxes(mail.to),
    cc: mailboxes(mail.cc),
    bcc: mailboxes(mail.bcc),
    replyTo: mailboxes(mail.replyTo),
    subject: mail.subject,
    text: joinTexts(raw, mail.textParts),
    html: joinTexts(raw, mail.htmlParts),
    headers: mail.headers.map(({ field, value }) => [field, value]),
    attachments: files.map(({ fileName, mediaType, contentId, disposition, ...part }) => ({
      fileName,
      contentType: mediaType,
      content: decodeBytes(raw, part),
      contentId,
      isInline: disposition === "inline",
    })),
  };
}

/** Fails unless the response is an error and nothing was stored. */
export function expectError({ samples }: EmailSubject, { response, memory }: Sent): void {
  expect({ isError: samples.errorOf(response) !== null, response }).toEqual({ isError: true, response });
  expect(memory.emails).toEqual([]);
}

/** Returns a sample; throws when the provider declares the feature and has no sample. */
export function required<Sample>(feature: EmailFeature, sample: Sample | undefined): Sample {
  if (sample === undefined) throw new Error(`the samples have no request for the feature "${feature}"`);
  return sample;
}
