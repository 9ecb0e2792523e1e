/** Secure contexts of injected faults: TLS handshakes that clients must let fail. */
import { createSecureContext, type SecureContext } from "node:tls";
import type { FaultTlsFailure } from "../core/fault.ts";
import type { TlsProtocolOptions } from "./tls-rules.ts";
import {
  createAuthority,
  createServerIdentity,
  keyPem,
  type CertificateRequest,
  type Identity,
} from "./certificate.ts";

const dayMs = 86_400_000;

/** Failure of a handshake that takes place. */
type FailingHandshake = Exclude<FaultTlsFailure, "refuse">;

/** Returns the secure context for a failure; creates it at the first call. */
export type FaultyContexts = (failure: FailingHandshake) => SecureContext;

/** Dependencies of {@link createFaultyContexts}. */
export interface FaultyContextDependencies {
  /** Names of the service that its certificate has. */
  readonly names: readonly string[];
  /** Versions and ciphers of the listeners. */
  readonly protocol: TlsProtocolOptions;
  /** Returns the CA that clients trust; null where its key is not known, and a new CA signs. */
  readonly authority: () => Identity | null;
  readonly now: () => number;
}

/**
 * Creates contexts without a certificate (`handshake`: alert 40), with a certificate that expired a day ago, for
 * another name, or of a CA that no client trusts. Each differs from the certificate of the service in that alone.
 */
export function createFaultyContexts({ names, protocol, authority, now }: FaultyContextDependencies): FaultyContexts {
  const contexts = new Map<FailingHandshake, SecureContext>();
  const create = (failure: FailingHandshake): SecureContext => {
    if (failure === "handshake") return createSecureContext(protocol);
    const trusted = failure === "untrusted" ? null : authority();
    const identity = createServerIdentity(requestFor(failure, names, now()), trusted ?? newAuthority(names, now()));
    return createSecureContext({ cert: identity.certificate.toString(), key: keyPem(identity.key), ...protocol });
  };
  return (failure) => {
    const context = contexts.get(failure) ?? create(failure);
    contexts.set(failure, context);
    return context;
  };
}

function requestFor(failure: FailingHandshake, names: readonly string[], now: number): CertificateRequest {
  const isExpired = failure === "expired";
  return {
    // Below a name that the local CA permits.
    names: failure === "wrong-name" ? ["wrong-name.localhost"] : names,
    notBefore: now - (isExpired ? 31 : 1) * dayMs,
    notAfter: now + (isExpired ? -1 : 397) * dayMs,
  };
}

function newAuthority(names: readonly string[], now: number): Identity {
  return createAuthority({ names, notBefore: now - 31 * dayMs, notAfter: now + 397 * dayMs });
}
