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
