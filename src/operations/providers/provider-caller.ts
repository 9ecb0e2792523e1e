import { createHash } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import type { RequestTranscript } from "../../core/request-transcript.ts";
import type { Context } from "../context.ts";
import { requireScope } from "../services/security/access.ts";
import { authenticate, type Credentials, findKey } from "../services/security/authenticate.ts";
import { hashKey } from "../services/security/key-hash.ts";
import type { RequestFaults } from "./request-faults.ts";

/** Authenticated caller of a provider's API. */
export interface ProviderCaller {
  /** Account principal for a key that is not stored. */
  readonly principal: Principal;
  /** Name of the provider. */
  readonly provider: string;
  /** False for a key that is not stored: its caller reads only messages that came through the provider. */
  readonly isKnown: boolean;
  /** Faults of the request; none by default. */
  readonly faults?: RequestFaults;
  /** Transcript of the request, which is stored with its messages; none by default. */
  readonly transcript?: RequestTranscript;
}

/** Key of a request to a provider's API. */
export interface ProviderCredentials extends Pick<Credentials, "clientAddress"> {
  /** Null or empty without a key. */
  readonly key: string | null;
  readonly provider: string;
  /** Whether a page of another site made a browser send the request (Fetch Metadata); only a stored key is valid then. */
  readonly isForeignPage?: boolean;
}

/**
 * Returns the caller with a key. Rejects with `unauthenticated` without a key and, unless the service accepts any key, for
 * an unknown one; and as {@link authenticate} does. An unknown key that is accepted does not count as a wrong one. The scope
 * of the key is not checked: see {@link requireProviderScope}.
 */
export async function openProviderCaller(
  context: Context,
  { key, clientAddress, provider, isForeignPage = false }: ProviderCredentials,
): Promise<ProviderCaller> {
  if (key === null || key === "") throw new Problem("unauthenticated");
  const hash = hashKey(context.secrets, key);
  const acceptsAny = context.settings.acceptsAnyProviderKey && !isForeignPage;
  const isAccepted = acceptsAny && (await findKey(context, key, hash)) === undefined;
  if (isAccepted) return { principal: unknownPrincipal(key), provider, isKnown: false };
  const { principal } = await authenticate(context, { key, clientAddress, hash });
  return { principal, provider, isKnown: true };
}

/** Throws `forbidden` when the scope of the caller's key does not cover the need. */
export function requireProviderScope({ principal, isKnown }: ProviderCaller, need: "read" | "send"): void {
  if (isKnown) requireScope(principal, need);
}

/** Returns a principal whose id identifies the key without containing it. */
function unknownPrincipal(key: string): Principal {
  const name = createHash("sha256").update(key).digest("hex").slice(0, 32);
  return { keyId: `unknown:${name}`, server: null, scope: "full" };
}
