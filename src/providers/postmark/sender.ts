import type { ProviderRequest, ProviderServices, ProviderSession } from "../provider.ts";
import { suppressedAddresses } from "./suppressions.ts";

/** Returns whether a token is the one with which messages are checked and not stored. */
export function isTestToken(token: string | null): boolean {
  return token?.toUpperCase() === "POSTMARK_API_TEST";
}

/** Caller that sends messages. */
export interface Sender {
  /** Null for the test token. */
  readonly session: ProviderSession | null;
  readonly services: ProviderServices;
  /** Suppressed addresses, as entries `stream address`. */
  readonly suppressed: ReadonlySet<string>;
}

/** Authenticates the caller; the test token needs no account. */
export async function openSender({ key }: ProviderRequest, services: ProviderServices): Promise<Sender> {
  if (isTestToken(key)) return { session: null, services, suppressed: new Set() };
  const session = await services.authenticate(key, "send");
  return { session, services, suppressed: await suppressedAddresses(session) };
}
