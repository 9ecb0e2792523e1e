import type { ServerId } from "./ids.ts";

/** Sign-in of an SMTP session, without its password. */
export interface SmtpAuthentication {
  /** User name as given, cut after 320 characters. */
  readonly user: string;
  readonly mechanism: "PLAIN" | "LOGIN";
}

/** The connection that brought a mail: evidence for whoever asks how it came. */
export interface SmtpSession {
  /** Argument of EHLO or HELO; null when none was given. */
  readonly ehlo: string | null;
  readonly clientAddress: string;
  /** `SMTP`, `ESMTP`, `ESMTPS`, `ESMTPA`, `ESMTPSA` (RFC 3848), with a `UTF8` prefix for SMTPUTF8 (RFC 6531 §4.3). */
  readonly protocol: string;
  /** TLS protocol and cipher, `TLSv1.3 TLS_AES_256_GCM_SHA384`; null in clear. */
  readonly tls: string | null;
  /** The server whose credentials the session gave; null without AUTH. */
  readonly authenticatedAs: ServerId | null;
  /** Absent without AUTH, and for mail from before this was kept. */
  readonly auth?: SmtpAuthentication;
}
