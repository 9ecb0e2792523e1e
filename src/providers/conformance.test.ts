/** Conformance suite for every provider in the registry. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emailChecks } from "./email-conformance.test-aid.ts";
import { fuzzEndpoints } from "./fuzz-endpoints.test-aid.ts";
import type { Provider } from "./provider.ts";
import { findSmsProvider, providers } from "./registry.ts";
import type { ProviderSamples } from "./samples.test-aid.ts";
import { phoneNumberChecks, sendSmsChecks } from "./sms-conformance.test-aid.ts";

const files = {
  every: ["endpoints", "errors", "provider", "request", "response", "samples.test-aid"],
  sms: ["callbacks", "inbound", "send", "signature"],
  email: ["templates"],
} as const;

const subjects = await Promise.all(
  providers.map(async (provider) => {
    const module = (await import(`./${provider.name}/samples.test-aid.ts`)) as { readonly samples: ProviderSamples };
    return { name: provider.name, provider, samples: module.samples };
  }),
);

function filesOf({ name, sms, email }: Provider): readonly string[] {
  const names = [...files.every, ...(sms === null ? [] : files.sms), ...(email === null ? [] : files.email)];
  return [...names.map((file) => join(name, `${file}.ts`)), join(name, `${name}.test.ts`)];
}

test("the registry lists every folder, and folders of the same kind have the same files", () => {
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).toSorted()).toEqual(providers.map(({ name }) => name).toSorted());
  expect(providers.flatMap(filesOf).filter((file) => !existsSync(join(import.meta.dirname, file)))).toEqual([]);
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

describe.each(subjects)("$name", ({ name, provider, samples }) => {
  test("has samples of what it sends", () => {
    expect(samples.email !== undefined || samples.sms !== undefined).toBe(true);
    expect([name, samples.email !== undefined]).toEqual([name, provider.email !== null]);
    expect(provider.sms === null || samples.sms !== undefined).toBe(true);
  });

  const { email, sms } = samples;
  if (sms !== undefined) test.each(sendSmsChecks)("$title", async ({ run }) => run({ provider, samples: sms }));

  const phoneNumbers = findSmsProvider(name);
  if (phoneNumbers !== undefined) test.each(phoneNumberChecks)("$title", async ({ run }) => run(phoneNumbers));

  if (email !== undefined && provider.email !== null) {
    const subject = { provider, support: provider.email, samples: email };
    for (const { title, feature, run } of emailChecks) {
      const isEmulated = feature === undefined || subject.support.features.includes(feature);
      test.skipIf(!isEmulated)(isEmulated ? title : `${title} (no feature "${feature}")`, async () => run(subject));
    }
  }

  test.each(provider.endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    "%s responds to any request, and stores nothing on an error",
    async (_name, endpoint) => fuzzEndpoints({ provider, samples, endpoint }),
  );
});
