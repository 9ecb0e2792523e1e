import type { ServerId } from "./ids.ts";
import { build, type ValueOf } from "./schema.ts";

/** SASL mechanisms of SMTP AUTH, in the order in which EHLO lists them. */
export const saslMechanisms = ["PLAIN", "LOGIN", "CRAM-MD5", "XOAUTH2", "OAUTHBEARER"] as const;

/** A SASL mechanism of SMTP AUTH. */
export type SaslMechanism = (typeof saslMechanisms)[number];

/** Schema of the authentication of an SMTP session. */
export const authenticationSchema = build.object(
  {
    user: build.string({ description: "User name of SMTP AUTH." }),
    mechanism: build.enum([...saslMechanisms], { description: "SASL mechanism." }),
  },
  { description: "User and mechanism of SMTP AUTH; absent without AUTH. Never the password." },
);

/** Authentication of an SMTP session; the user name is truncated to 320 characters. */
export type SmtpAuthentication = ValueOf<typeof authenticationSchema>;

/**
 * Proof of a user name: a password (PLAIN, LOGIN), the HMAC-MD5 of a challenge in lower-case hex with the password as its
 * key (CRAM-MD5, RFC 2195), or a bearer token (XOAUTH2, OAUTHBEARER).
 */
export type SaslProof =
  | { readonly kind: "password"; readonly password: string }
  | { readonly kind: "digest"; readonly challenge: string; readonly digest: string }
  | { readonly kind: "token"; readonly token: string };

/** SMTP session that delivered a mail. */
export interface SmtpSession {
  /** Argument of EHLO or HELO; null without one. */
  readonly ehlo: string | null;
  readonly clientAddress: string;
  /** `SMTP`, `ESMTP`, `ESMTPS`, `ESMTPA`, `ESMTPSA` (RFC 3848), with a `UTF8` prefix for SMTPUTF8 (RFC 6531 §4.3). */
  readonly protocol: string;
  /** TLS protocol and cipher, `TLSv1.3 TLS_AES_256_GCM_SHA384`; null without TLS. */
  readonly tls: string | null;
  /** Server whose credentials authenticated the session; null without AUTH. */
  readonly authenticatedAs: ServerId | null;
  /** Absent without AUTH. */
  readonly auth?: SmtpAuthentication;
}
