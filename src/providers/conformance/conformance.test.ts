/** Conformance suite for every provider in the registry. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { emailChecks } from "./email-checks.test-aid.ts";
import { fuzzEndpoint } from "./fuzz-endpoint.test-aid.ts";
import type { Provider } from "../provider.ts";
import { findSmsProvider, providers } from "../registry.ts";
import { minimalSample } from "./sample-emails.test-aid.ts";
import type { ProviderSamples } from "./samples.test-aid.ts";
import { validKey } from "./services.test-aid.ts";
import { phoneNumberChecks, sendSmsChecks } from "./sms-checks.test-aid.ts";

const files = {
  every: ["errors", "provider", "request", "samples.test-aid"],
  sms: ["message", "send"],
  templates: ["templates"],
} as const;

const subjects = await Promise.all(
  providers.map(async (provider) => {
    const module = (await import(`../${provider.name}/samples.test-aid.ts`)) as { readonly samples: ProviderSamples };
    return { name: provider.name, provider, samples: module.samples };
  }),
);

function filesOf({ name, sms, email }: Provider): readonly string[] {
  const hasTemplates = email?.features.some((one) => one.includes("templates")) ?? false;
  const names = [...files.every, ...(sms === null ? [] : files.sms), ...(hasTemplates ? files.templates : [])];
  return [...names.map((file) => join(name, `${file}.ts`)), join(name, `${name}.test.ts`)];
}

test("the registry lists every folder, and folders of the same kind have the same files", () => {
  const room = join(import.meta.dirname, "..");
  const shared = new Set(["conformance", "formats", "inbound", "kit"]);
  const folders = readdirSync(room, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !shared.has(entry.name),
  );
  expect(folders.map(({ name }) => name).toSorted()).toEqual(providers.map(({ name }) => name).toSorted());
  expect(providers.flatMap(filesOf).filter((file) => !existsSync(join(room, file)))).toEqual([]);
});

test("no two endpoints share a method and path below their prefix, or at the root", () => {
  const own = providers.flatMap(({ name, endpoints }) =>
    endpoints.map(({ method, path }) => `${method} /providers/${name}${path}`),
  );
  const root = providers.flatMap(({ endpoints }) =>
    endpoints.filter(({ isAtRoot }) => isAtRoot === true).map(({ method, path }) => `${method} ${path}`),
  );
  const lines = [...own, ...root].map((line) => line.replaceAll(/:\w+/g, ":"));
  expect(lines.filter((line, at) => lines.indexOf(line) !== at)).toEqual([]);
  expect(findSmsProvider("unknown")).toBeUndefined();
});

const smsSample = { from: "+15550100", to: "+447700900123", text: "Hi" };

test.each(["storage_full", "quota_exceeded", "unavailable", "data_damaged", "internal"] as const)(
  "every provider has an error of its own for a failure of the service: %s",
  (code) => {
    const problem = new Problem(code);
    const wrong = subjects.flatMap(({ name, provider, samples: { email, sms } }) =>
      [
        ...(email === undefined
          ? []
          : [{ errorOf: email.errorOf, request: email.send(minimalSample, { key: validKey }) }]),
        ...(sms === undefined
          ? []
          : [{ errorOf: sms.errorOf, request: sms.send(smsSample, { key: validKey, callback: null }) }]),
      ].flatMap(({ errorOf, request }) => {
        const response = { ...provider.errorResponse(problem, request), status: problem.row.status };
        const text = response.body?.text ?? "";
        const tellsReason = problem.row.status !== 507 || text.includes(problem.message);
        return errorOf(response) !== null && tellsReason && !text.includes(`"type":"${problem.row.type}"`)
          ? []
          : [{ name, text }];
      }),
    );
    expect(wrong).toEqual([]);
  },
);

test("every provider has samples of what it sends", () => {
  for (const { name, provider, samples } of subjects) {
    expect([name, samples.email !== undefined]).toEqual([name, provider.email !== null]);
    // Providers of mail may also send SMS, without phone numbers.
    const mustSendSms = provider.sms !== null || provider.email === null;
    expect([name, !mustSendSms || samples.sms !== undefined]).toEqual([name, true]);
  }
});

describe.each(subjects)("$name", ({ name, provider, samples }) => {
  const { email, sms } = samples;
  const { email: support } = provider;
  const features = support?.features ?? [];

  const smsTests = sms === undefined ? [] : sendSmsChecks.map((check) => ({ ...check, sms }));
  test.each(smsTests)("$title", async (one) => one.run({ provider, samples: one.sms }));

  const owner = findSmsProvider(name);
  const numberTests = owner === undefined ? [] : phoneNumberChecks.map((check) => ({ ...check, owner }));
  test.each(numberTests)("$title", async (one) => one.run(one.owner));

  const emailTests =
    email === undefined || support === null
      ? []
      : emailChecks.map((check) => ({ ...check, subject: { provider, support, samples: email } }));
  const isEmulated = ({ feature }: (typeof emailTests)[number]): boolean =>
    feature === undefined || features.includes(feature);
  test.for(emailTests)("$title", async (one, { skip }) => {
    skip(!isEmulated(one), "the provider does not declare the feature");
    await one.run(one.subject);
  });

  test.each(provider.endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    "%s responds to any request, and stores nothing on an error",
    async (_name, endpoint) => fuzzEndpoint({ provider, samples, endpoint }),
  );
});
