/** Proof that each check of the conformance suite for mail fails when a provider has the fault that it looks for. */
import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import type { EmailDraft, SubmittedEmail } from "../email.ts";
import type { EmailSubject } from "./email-check.test-aid.ts";
import { emailChecks } from "./email-checks.test-aid.ts";
import { fakeMailProvider, type FakeFaults } from "./fake-mail-provider.test-aid.ts";
import { fakeMailSamples } from "./fake-mail-samples.test-aid.ts";
import { fuzzEndpoint } from "./fuzz-endpoint.test-aid.ts";
import { jsonResponse, type ProviderServices } from "../provider.ts";
import { validKey } from "./services.test-aid.ts";

function subjectWith(faults: FakeFaults = {}, changes: Partial<EmailSubject["samples"]> = {}): EmailSubject {
  const provider = fakeMailProvider(faults);
  if (provider.email === null) throw new Error("the fake sends mail");
  return { provider, support: provider.email, samples: { ...fakeMailSamples, ...changes } };
}

function draft(change: (draft: EmailDraft) => Partial<EmailDraft>): FakeFaults {
  return {
    changeEmail: (email) =>
      email.content instanceof Uint8Array
        ? email
        : { ...email, content: { ...email.content, ...change(email.content) } },
  };
}

function without(member: string): FakeFaults {
  return { changeMail: ({ [member]: _left, ...mail }) => mail };
}

function session(
  changes: (services: ProviderServices) => Partial<Awaited<ReturnType<ProviderServices["authenticate"]>>>,
): FakeFaults {
  return {
    changeServices: (services) => ({
      ...services,
      authenticate: async (key, need) => ({ ...(await services.authenticate(key, need)), ...changes(services) }),
    }),
  };
}

function flipped(content: Uint8Array): Uint8Array {
  return content.map((byte, at) => (at === 300 ? byte ^ 1 : byte));
}

const changed = (change: (email: SubmittedEmail) => Partial<SubmittedEmail>): FakeFaults => ({
  changeEmail: (email) => ({ ...email, ...change(email) }),
});
const noIds = { changeResponse: () => jsonResponse(200, { ids: [] }) };

const faults: readonly (readonly [title: string, fault: string, FakeFaults])[] = [
  [
    "accepts a mail and submits all of its fields",
    "bcc is no recipient",
    changed(({ recipients }) => ({ recipients: recipients.slice(0, -1) })),
  ],
  [
    "accepts a mail and submits all of its fields",
    "names are lost",
    draft(({ from }) => ({ from: { ...from, name: "" } })),
  ],
  ["accepts a mail and submits all of its fields", "reply-to is lost", without("replyTo")],
  ["accepts a mail with the required fields only", "an HTML body is added", draft(() => ({ html: "" }))],
  ["accepts a mail with the required fields only", "the response has no id", noIds],
  [
    "submits attachments to the byte",
    "a bit is flipped",
    draft(({ attachments }) => ({
      attachments: attachments.map((one) => ({ ...one, content: flipped(one.content) })),
    })),
  ],
  [
    "submits inline images to the byte",
    "images are attachments",
    draft(({ attachments }) => ({ attachments: attachments.map((one) => ({ ...one, isInline: false })) })),
  ],
  ["submits custom header fields", "fields are lost", without("headers")],
  ["stores tags", "tags are lost", without("tags")],
  ["stores metadata", "metadata is lost", without("metadata")],
  [
    "accepts several mails in one request",
    "one mail is stored for all",
    changed(() => ({ recipients: ["a@b.example"] })),
  ],
  ["stores nothing in sandbox mode", "sandbox mode is ignored", without("sandbox")],
  ["schedules a mail", "the instant is ignored", without("sendAt")],
  ["cancels a scheduled mail", "nothing is cancelled", session(() => ({ cancelEmail: async () => undefined }))],
  ["stores a mail once for an idempotency key", "the key is ignored", without("idempotencyKey")],
  ["reads a mail back", "unknown ids are found", session(() => ({ getEmail: async () => ({ message: {} }) as never }))],
  [
    "shows the id and the data of a template that is not stored",
    "the data is lost",
    draft(() => ({ text: "welcome" })),
  ],
  [
    "renders a stored template with the data of the mail",
    "stored templates are not found",
    session(() => ({ objects: { get: async () => undefined, put: async () => true } as never })),
  ],
  [
    "rejects an unknown and a missing key with 401 or 403",
    "keys are ignored",
    {
      changeServices: (services) => ({
        ...services,
        authenticate: async (_key, need) => services.authenticate(validKey, need),
      }),
    },
  ],
  [
    "rejects invalid requests with its own errors and stores nothing",
    "errors are stored",
    { changeServices: (services) => services, isUnchecked: true },
  ],
  [
    "has an error for recipients without a server",
    "refusals are successes",
    session(() => ({ submitEmails: async () => [{ providerId: "fake-1", uuid: "1" }] })),
  ],
  ["has errors for problems of the request that no endpoint handles", "problems are successes", noIds],
  ["has errors for wrong methods and unknown paths", "unknown paths are successes", noIds],
  [
    "returns the UUID of any provider id, and nothing for other text",
    "other text is a UUID",
    { uuidOf: (id) => id.slice("fake-".length) },
  ],
];

describe("a fake provider without faults", () => {
  test.each(emailChecks)("$title", async ({ run }) => run(subjectWith()));

  test.each(fakeMailProvider().endpoints.map((one) => [`${one.method} ${one.path}`, one] as const))(
    "%s responds to any request",
    async (_line, endpoint) =>
      fuzzEndpoint({ provider: fakeMailProvider(), samples: { email: fakeMailSamples }, endpoint }),
  );
});

test.each(faults)('the check "%s" fails when %s', async (title, _fault, fault) => {
  const check = emailChecks.find((one) => one.title === title);
  expect(check).toBeDefined();
  await expect(check?.run(subjectWith(fault))).rejects.toBeInstanceOf(Error);
});

test("every check has a fault that it finds", () => {
  const titles = new Set(faults.map(([title]) => title));
  expect(emailChecks.filter(({ title }) => !titles.has(title))).toEqual([]);
});

test("a declared feature without a sample is a failure", async () => {
  const samples = { batch: undefined, cancel: undefined, get: undefined, storeTemplate: undefined } as never;
  for (const feature of ["batch", "cancel", "read back", "stored templates"]) {
    const check = emailChecks.find((one) => one.feature === feature);
    await expect(check?.run(subjectWith({}, samples))).rejects.toThrow(`no request for the feature "${feature}"`);
  }
});

test("a missing rejection is a failure unless the samples give a reason", async () => {
  const check = emailChecks.find(({ title }) => title.startsWith("rejects invalid requests"));
  const rejected = (key: string) => {
    const { "invalid base64": _left, ...rest } = fakeMailSamples.rejected(key);
    return rest;
  };
  await expect(check?.run(subjectWith({}, { rejected }))).rejects.toThrow("invalid base64");
  const withoutRejections = { "invalid base64": "attachments are bytes" };
  await expect(check?.run(subjectWith({}, { rejected, withoutRejections }))).resolves.toBeUndefined();
});

test.each([new TypeError("Cannot read properties of null"), new Problem("internal")])(
  "an endpoint that rejects with %s fails on arbitrary requests",
  async (error) => {
    const authenticate = async (): Promise<never> => {
      throw error;
    };
    const provider = fakeMailProvider({ changeServices: (services) => ({ ...services, authenticate }) });
    const [endpoint] = provider.endpoints;
    if (endpoint === undefined) throw new Error("the fake has endpoints");
    const tried = fuzzEndpoint({ provider, samples: { email: fakeMailSamples }, endpoint });
    await expect(tried).rejects.toThrow("Property failed");
  },
);
