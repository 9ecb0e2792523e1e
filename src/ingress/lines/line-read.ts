/** Reason for which a connection delivers no further bytes; `anonymous`: the client did not sign in for too long. */
export type LineEnd = "closed" | "idle" | "anonymous" | "shutdown";

/**
 * Line of a client. `line` without its line end, one character per byte (Latin-1); `overlong` for a line over the limit,
 * which was dropped but for its start; `end` when none will come.
 */
export type LineRead =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "overlong"; readonly start: string }
  | { readonly kind: "end"; readonly reason: LineEnd };
