/** Challenges of a certificate authority at the HTTPS listener (TLS-ALPN-01, RFC 8737). */
import type { ServerOptions } from "node:https";
import { createSecureContext, type TLSSocket } from "node:tls";
import { challengeCertificate } from "../../tls/issued-certificate.ts";
import type { OpenChallenges } from "./shared-acme.ts";

/** Protocol by which an authority asks for the certificate of a challenge (RFC 8737 §6.2). */
const challengeProtocol = "acme-tls/1";
const usualProtocol = "http/1.1";

/** Returns the options of an HTTPS server that answers open challenges. Handshakes of other protocols keep their certificate. */
export function tlsChallengeOptions(challenges: Pick<OpenChallenges, "seen">): ServerOptions {
  return {
    ALPNCallback(this: TLSSocket, { servername, protocols }) {
      if (!protocols.includes(challengeProtocol)) return protocols.find((one) => one === usualProtocol);
      const name = servername.toLowerCase();
      const keyAuthorization = challenges.seen.get(name);
      if (keyAuthorization === undefined) return undefined;
      this.setKeyCert(createSecureContext(challengeCertificate(name, { keyAuthorization, now: Date.now() })));
      return challengeProtocol;
    },
  };
}
