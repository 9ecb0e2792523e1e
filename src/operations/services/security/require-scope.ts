import type { KeyScope, Principal } from "../../../core/api-key.ts";
import { Problem } from "../../../core/errors.ts";

/**
 * Access that a request requires of its key.
 * - `read`: to list, search, wait, fetch.
 * - `send`: to create, send, reply, forward.
 * - `manage`: to change or delete anything, or to see a password.
 * - `any`: any valid key.
 */
export type Need = "read" | "send" | "manage" | "any";

const allowed: Readonly<Record<KeyScope, ReadonlySet<Need>>> = {
  full: new Set(["read", "send", "manage", "any"]),
  read: new Set(["read", "any"]),
  send: new Set(["send", "any"]),
};

/** Throws `forbidden` unless the principal's scope covers the required access, before any object is looked up. */
export function requireScope({ scope = "full" }: Principal, need: Need): void {
  if (allowed[scope].has(need)) return;
  throw new Problem("forbidden", {
    text: scope === "read" ? "This key may only read" : "This key may only create and send messages",
  });
}
