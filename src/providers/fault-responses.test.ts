import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { faultErrors } from "../core/fault.ts";
import { callEndpoint } from "./conformance/call-endpoint.test-aid.ts";
import type { Provider, ProviderRequest, ProviderResponse, ProviderServices } from "./provider.ts";
import { providers } from "./registry.ts";
import { minimalSample } from "./conformance/sample-emails.test-aid.ts";
import type { ProviderSamples } from "./conformance/samples.test-aid.ts";
import { memoryServices, startInstant, validKey } from "./conformance/services.test-aid.ts";

const subjects = await Promise.all(
  providers.map(async (provider) => {
    const module = (await import(`./${provider.name}/samples.test-aid.ts`)) as { readonly samples: ProviderSamples };
    return { name: provider.name, provider, samples: module.samples };
  }),
);

interface Sending {
  readonly request: ProviderRequest;
  readonly errorOf: (response: ProviderResponse) => string | null;
}

/** Returns a request that sends a mail, and one that sends an SMS, as far as the provider has them. */
function sendings({ email, sms }: ProviderSamples): readonly Sending[] {
  const text = { from: "+15550100", to: "+447700900123", text: "Hi" };
  return [
    ...(email === undefined ? [] : [{ request: email.send(minimalSample, { key: validKey }), errorOf: email.errorOf }]),
    ...(sms === undefined
      ? []
      : [{ request: sms.send(text, { key: validKey, callback: null }), errorOf: sms.errorOf }]),
  ];
}

function respond(
  provider: Provider,
  sending: Sending,
  fault: Parameters<Provider["faultResponse"]>[0],
): ProviderResponse {
  return provider.faultResponse(fault, { ...sending.request, now: startInstant });
}

function rejecting(error: Error): ProviderServices {
  const { services } = memoryServices();
  const submit = async (): Promise<never> => {
    throw error;
  };
  return {
    ...services,
    authenticate: async (key, need) => {
      return { ...(await services.authenticate(key, need)), submitEmails: submit, submitSms: submit };
    },
  };
}

const documented = readFileSync("docs/guide/faults.md", "utf8");

describe.each(subjects)("$name", ({ provider, samples }) => {
  test.each(faultErrors)("has an error of its own for %s, with the documented status", (fault) => {
    const [first] = sendings(samples);
    for (const sending of sendings(samples)) {
      const response = respond(provider, sending, fault);
      expect(sending.errorOf(response)).not.toBeNull();
      expect(response.body?.text).toBeTruthy();
    }
    if (first === undefined) throw new Error("no samples");
    const row = documented.split("\n").find((line) => line.startsWith(`| ${provider.label} `)) ?? "";
    const cells = row.split("|").map((cell) => cell.trim());
    expect(cells[faultErrors.indexOf(fault) + 2]).toMatch(new RegExp(`^${respond(provider, first, fault).status}\\b`));
  });

  test.each([400, 402, 429, 503, 599])("has an error with the status %i", (status) => {
    for (const sending of sendings(samples)) {
      const response = respond(provider, sending, { status });
      expect(response.status).toBe(status);
      expect(response.body?.text).toBeTruthy();
    }
  });

  test("lets the error of a fault rule pass, so that the listener applies it", async () => {
    const error = new Error("fault");
    for (const { request } of sendings(samples)) {
      await expect(callEndpoint(provider, request, rejecting(error))).rejects.toBe(error);
    }
  });
});
