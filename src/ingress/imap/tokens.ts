/** Argument of a command; strings and atoms are decoded from UTF-8. */
export type ImapToken =
  /** Atom, number, sequence set or flag, as written; a section such as `BODY[HEADER.FIELDS (DATE)]<0.9>` is one atom. */
  | { readonly kind: "atom"; readonly text: string }
  /** Quoted string or literal. */
  | { readonly kind: "string"; readonly text: string }
  /** Literal that APPEND stores. */
  | { readonly kind: "octets"; readonly bytes: Uint8Array }
  | { readonly kind: "list"; readonly items: readonly ImapToken[] };

/** Wrong syntax of a command, which is answered with BAD. */
export class ImapSyntaxError extends Error {
  override readonly name = "ImapSyntaxError";
}
