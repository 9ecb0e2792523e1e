/** Limits of the commands of mail protocols. Sizes are in bytes, times in milliseconds. */
import type { ArrivalRule } from "./arrival-rate.ts";
import { bodyArrival } from "./body-limits.ts";

/**
 * Length of an IMAP line with its CRLF: ID has up to 30 fields of 1024 bytes (RFC 2971 section 3.3). Longer ones would be read
 * before a client has signed in.
 */
export const imapLineBytesMax: number = 40 * 1024;

/**
 * Bytes of one IMAP command, lines and literals together, and of its literals alone; without the mail that APPEND stores. Without
 * them a command of many lines and literals grows while it is read.
 */
export const imapCommandLimits: Readonly<
  Record<"anonymous" | "authenticated", { readonly commandBytesMax: number; readonly literalBytesMax: number }>
> = {
  anonymous: { commandBytesMax: 48 * 1024, literalBytesMax: 4096 },
  authenticated: { commandBytesMax: 256 * 1024, literalBytesMax: 64 * 1024 },
};

/**
 * Time from a connection by IMAP or POP3 to the authentication of its client. Without it, a client that sends a byte from time to
 * time keeps one of the connections of strangers for ever.
 */
export const signInMsMax = 120_000;

/**
 * Slowest arrival of the content of a mail by SMTP or IMAP, beyond its first bytes, which people type; its memory is counted until
 * it is complete. The rate is that of request bodies.
 */
export const mailArrival: ArrivalRule = bodyArrival;

/** Bytes of content from which {@link mailArrival} applies by SMTP. */
export const typedMailBytesMax: number = 64 * 1024;
