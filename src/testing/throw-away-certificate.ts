import { createSecureContext, type SecureContext } from "node:tls";
import { keyPem, makeAuthority, makeServerIdentity } from "../tls/certificate.ts";

/** A certificate that only who trusts its own CA trusts, and what a listener needs to show it. */
export interface ThrowAwayCertificate {
  /** PEM of the CA; what a client must trust. */
  readonly ca: string;
  readonly secureContext: SecureContext;
}

/** Makes a CA and a certificate of it for localhost and 127.0.0.1, valid for an hour. */
export function throwAwayCertificate(): ThrowAwayCertificate {
  const now = Date.now();
  const wish = { names: ["localhost", "127.0.0.1"], notBefore: now - 60_000, notAfter: now + 3_600_000 };
  const authority = makeAuthority(wish);
  const identity = makeServerIdentity(wish, authority);
  return {
    ca: authority.certificate.toString(),
    secureContext: createSecureContext({ cert: identity.certificate.toString(), key: keyPem(identity.key) }),
  };
}
