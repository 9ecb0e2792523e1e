import type { ProviderRequest, ProviderServices, ProviderSession } from "../provider.ts";

/** Token with which messages are checked and not stored. */
const testToken = "POSTMARK_API_TEST";

/** Caller that sends messages. */
export interface Sender {
  /** Null for the test token. */
  readonly session: ProviderSession | null;
  readonly services: ProviderServices;
}

/** Authenticates the caller; the test token needs no account. */
export async function openSender({ key }: ProviderRequest, services: ProviderServices): Promise<Sender> {
  const isTest = key?.toUpperCase() === testToken;
  return { session: isTest ? null : await services.authenticate(key, "send"), services };
}
