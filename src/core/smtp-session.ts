/** Facts of SMTP sessions: the client, verdicts on the sender, and the mail with its envelope. */
import type { ServerId, MessageId } from "./ids.ts";
import { build, orNull, type ValueOf } from "./schema.ts";
import type { FaultHit, LateDelivery } from "./fault.ts";

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

/**
 * Results of a check of the sender: `neutral` also where nothing is published or signed, and for soft failures; `unknown` when DNS
 * or this service did not answer in time.
 */
const results = ["pass", "fail", "neutral", "unknown"] as const;

/** Schema of {@link SenderVerdicts}. */
const senderVerdictsSchema = build.object({
  spf: build.enum([...results]),
  dkim: build.enum([...results]),
  dmarc: build.enum([...results]),
});

/** Results of SPF, DKIM and DMARC at the arrival of a mail. */
export type SenderVerdicts = ValueOf<typeof senderVerdictsSchema>;

/** Result of one check. */
export type SenderResult = SenderVerdicts["spf"];

/** Tags that only the verdicts give. */
const reserved = new RegExp(`^(?:spf|dkim|dmarc)-(?:${results.join("|")})$`, "i");

/** Returns the tags of a mail with these verdicts, such as `spf-pass`. */
export function tagsOfVerdicts({ spf, dkim, dmarc }: SenderVerdicts): readonly string[] {
  return [`spf-${spf}`, `dkim-${dkim}`, `dmarc-${dmarc}`];
}

/** Returns whether a tag is one of {@link tagsOfVerdicts}, which senders must not give to their mail. */
export function isVerdictTag(tag: string): boolean {
  return reserved.test(tag);
}

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

/** Reason for which a recipient of an unauthenticated client is not accepted. */
export type Screening =
  /** The address is not in a domain of this service; permanent. */
  | { readonly kind: "relay_denied" }
  /** A DNS block list lists the client; permanent. */
  | { readonly kind: "listed"; readonly list: string }
  /** Greylisting defers the first attempts of a triple. */
  | { readonly kind: "greylisted"; readonly waitMs: number }
  /** The network of the client has named too many recipients within a minute; temporary. */
  | { readonly kind: "too_many_recipients" };

/** Facts about a recipient that is screened. */
export interface ScreenedRecipient {
  readonly clientAddress: string;
  /** "" for the null reverse-path. */
  readonly mailFrom: string;
  /** As given, without angle brackets. */
  readonly address: string;
}

/** Returns the text of the reply that defers a triple of greylisting (RFC 6647 §2). */
export function greylistText(waitMs: number): string {
  return `Greylisted, please try again in ${String(Math.ceil(Math.round(waitMs) / 1000))} seconds`;
}

/** Accepted RCPT and the server it was resolved to. */
export interface ResolvedRecipient {
  /** Address as sent, without angle brackets. */
  readonly address: string;
  readonly server: ServerId;
}

/** Mail as a listener received it: envelope, session and raw bytes. */
export interface Arrival {
  /** Reverse-path; "" for the null reverse-path of bounces (RFC 5321 §4.5.5). */
  readonly mailFrom: string;
  /** At least one; in the order of the RCPT commands. */
  readonly recipients: readonly ResolvedRecipient[];
  /** Mail as sent, dot-unstuffed, without the final dot and without added fields. */
  readonly raw: Uint8Array;
  readonly session: SmtpSession;
  /**
   * Returns the encoded transcript of the session for a server, without recipients of others; see `transcript.ts`. `id` is that
   * of the server's message, which the reply names.
   */
  readonly transcript?: (server: ServerId, id: MessageId) => string;
  /** Instant of its MAIL command, in milliseconds of `Clock.monotonicMs`; absent where no session brought it. */
  readonly beganAt?: number;
  /** Faults that applied before the mail was accepted; none by default. */
  readonly faults?: readonly FaultHit[];
  /** Servers in which the mail becomes visible later; the first entry of a server counts. None by default. */
  readonly late?: readonly LateDelivery[];
}
