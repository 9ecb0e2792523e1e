import type { ServerId } from "./ids.ts";
import { build, orNull, type ValueOf } from "./schema.ts";
import { senderVerdictsSchema } from "./sender-verdicts.ts";

/** SASL mechanisms of SMTP AUTH, in the order in which EHLO lists them. */
export const saslMechanisms = ["PLAIN", "LOGIN", "CRAM-MD5", "XOAUTH2", "OAUTHBEARER"] as const;

/** A SASL mechanism of SMTP AUTH. */
export type SaslMechanism = (typeof saslMechanisms)[number];

/** Schema of the authentication of an SMTP session. */
export const authenticationSchema = build.object(
  {
    user: build.string("User name of SMTP AUTH."),
    mechanism: build.enum([...saslMechanisms], "SASL mechanism."),
  },
  "User and mechanism of SMTP AUTH; absent without AUTH. Never the password.",
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

/** Schema of {@link SmtpSession}. */
export const sessionSchema = build.object({
  ehlo: orNull(build.string("Argument of EHLO or HELO; null without one.")),
  clientAddress: build.string(),
  protocol: build.string("As in trace fields (RFC 3848), with a `UTF8` prefix for SMTPUTF8 (RFC 6531 §4.3)."),
  tls: orNull(build.string("`TLSv1.3 TLS_AES_256_GCM_SHA384`; null without TLS.")),
  authenticatedAs: orNull(
    build.string<ServerId>("Server whose credentials authenticated the session; null without AUTH."),
  ),
  auth: build.optional(authenticationSchema),
  verdicts: build.optional(senderVerdictsSchema),
});

/** SMTP session that delivered a mail. */
export type SmtpSession = ValueOf<typeof sessionSchema>;
