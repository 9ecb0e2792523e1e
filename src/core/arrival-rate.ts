/** Bounds of input that a listener reads: the rate at which it has to arrive, commands of mail protocols, and request bodies. Sizes are in bytes, times in milliseconds. */
import type { Clock } from "./clock.ts";

/** Fewest bytes that have to arrive in each period. */
export interface ArrivalRule {
  readonly periodMs: number;
  readonly bytesMin: number;
}

/** Input under way. */
export interface Arrival {
  /** Returns the bytes that have arrived so far. */
  readonly bytesArrived: () => number;
  /** Called once, at the end of the first period in which too few bytes arrived. */
  readonly onTooSlow: () => void;
}

/** Compares the arrival of an input with the rule until the returned function is called. */
export function watchArrival(clock: Pick<Clock, "after">, rule: ArrivalRule, arrival: Arrival): () => void {
  let bytesBefore = arrival.bytesArrived();
  const check = (): void => {
    const bytes = arrival.bytesArrived();
    if (bytes - bytesBefore < rule.bytesMin) {
      arrival.onTooSlow();
      return;
    }
    bytesBefore = bytes;
    cancel = clock.after(rule.periodMs, check);
  };
  let cancel = clock.after(rule.periodMs, check);
  return () => {
    cancel();
  };
}

/** Most values of a JSON body; a request with 1000 recipients and 100 variables for each has fewer. */
export const jsonValueCountMax = 250_000;

/** Most nested arrays and objects of a JSON body; deeper values cannot be serialised again with a small stack. */
export const jsonDepthMax = 100;

/** Longest name of a member of a JSON object or of a form field, in bytes as written. */
export const bodyNameBytesMax = 1000;

/** Most fields of a form; a bulk mail of the AWS Query protocol, with 50 destinations of 50 recipients, has fewer. */
export const formFieldCountMax = 10_000;

/**
 * Slowest arrival of a request body, and of the content of a mail by SMTP or IMAP beyond its first bytes, which people type: at
 * least so many bytes in each period until it is complete, because its memory is counted until then. The rate is the one below
 * which `mod_reqtimeout` of Apache closes connections by default.
 */
export const contentArrival: ArrivalRule = { periodMs: 20_000, bytesMin: 10_000 };

/** Largest body that is read before its sender is authenticated, because its credentials or its signature are in it. */
export const unauthenticatedBodyBytesMax: number = 64 * 1024;

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

/** Bytes of content from which {@link contentArrival} applies by SMTP. */
export const typedMailBytesMax: number = 64 * 1024;
