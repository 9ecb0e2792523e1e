import { createSecureContext, type SecureContext } from "node:tls";
import { keyPem, makeAuthority, makeServerIdentity } from "../tls/certificate.ts";
import type { TlsCredentials } from "../tls/secure-context-source.ts";

/** A certificate that only who trusts its own CA trusts, and what a listener needs to show it. */
export interface ThrowAwayCertificate {
  /** PEM of the CA; what a client must trust. */
  readonly ca: string;
  readonly credentials: TlsCredentials;
  readonly secureContext: SecureContext;
}

/** Makes a CA and a certificate of it for localhost, 127.0.0.1 and mailosaur.com, or other names, valid for an hour. */
export function throwAwayCertificate(
  names: readonly string[] = ["localhost", "127.0.0.1", "mailosaur.com"],
): ThrowAwayCertificate {
  const now = Date.now();
  const wish = {
    names: [...names],
    notBefore: now - 60_000,
    notAfter: now + 3_600_000,
  };
  const authority = makeAuthority(wish);
  const identity = makeServerIdentity(wish, authority);
  const cert = identity.certificate.toString();
  const credentials: TlsCredentials = { cert, key: keyPem(identity.key), minVersion: "TLSv1.2" };
  return { ca: authority.certificate.toString(), credentials, secureContext: createSecureContext(credentials) };
}
