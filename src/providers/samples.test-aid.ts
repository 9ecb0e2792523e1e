/** Sample requests that the conformance suite needs of every provider, in `<name>/samples.test-aid.ts`. */
import { readForm, type FormFields } from "./form.ts";
import type { ProviderRequest, ProviderResponse } from "./provider.ts";
import type { OutboundSms } from "./sms.ts";

/** Requests in the format of one provider. */
export interface ProviderSamples {
  /** Path of the endpoint that sends SMS. */
  readonly sendPath: string;
  /** Returns a request to {@link sendPath}. */
  readonly send: (sms: OutboundSms, options: SendOptions) => ProviderRequest;
  /** Returns the UUID of the stored message. */
  readonly idOf: (response: ProviderResponse) => string;
  /** Returns the provider's error code; null for a success. */
  readonly errorOf: (response: ProviderResponse) => string | null;
}

/** Options of a request that sends an SMS. */
export interface SendOptions {
  readonly key: string;
  readonly callback: string | null;
}

/** Returns a request with a form body. */
export function formRequest(form: FormFields, changes: Partial<ProviderRequest> = {}): ProviderRequest {
  return { headers: {}, path: "/", id: "", url: "http://localhost/", form, fields: form, key: null, ...changes };
}

/** Returns the members of a JSON response. */
export function jsonOf({ body }: ProviderResponse): Readonly<Record<string, unknown>> {
  return JSON.parse(body?.text ?? "{}") as Readonly<Record<string, unknown>>;
}

/** Returns the request that delivers a webhook's body and header fields. */
export function webhookRequest(
  url: string,
  { body, headers }: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
): ProviderRequest {
  return formRequest(readForm(body), { url, headers });
}
