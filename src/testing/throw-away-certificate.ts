import { createSecureContext, type SecureContext } from "node:tls";
import { keyPem, createAuthority, createServerIdentity } from "../tls/certificate.ts";
import type { TlsCredentials } from "../tls/secure-context-source.ts";

/** Certificate of a new CA, with its key. */
export interface ThrowAwayCertificate {
  /** PEM of the CA, for clients to trust. */
  readonly ca: string;
  readonly credentials: TlsCredentials;
  readonly secureContext: SecureContext;
}

/** Creates a CA and a certificate for localhost, 127.0.0.1 and mailosaur.com, or other names, valid for an hour. */
export function throwAwayCertificate(
  names: readonly string[] = ["localhost", "127.0.0.1", "mailosaur.com"],
): ThrowAwayCertificate {
  const now = Date.now();
  const wish = {
    names: [...names],
    notBefore: now - 60_000,
    notAfter: now + 3_600_000,
  };
  const authority = createAuthority(wish);
  const identity = createServerIdentity(wish, authority);
  const cert = identity.certificate.toString();
  const credentials: TlsCredentials = { cert, key: keyPem(identity.key), minVersion: "TLSv1.2" };
  return { ca: authority.certificate.toString(), credentials, secureContext: createSecureContext(credentials) };
}
