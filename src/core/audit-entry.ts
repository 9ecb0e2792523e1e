/** Entries of the audit log: who did what to what, by ids and counts. Never secrets, mail addresses or content. */

/**
 * How somebody proved to be allowed.
 * - `key`: an API key in the request.
 * - `session`: a browser session of a key.
 * - `operator`: a key and the token in the data folder of the service.
 * - `command`: a command of the CLI that worked on the store itself.
 */
export type AuditActorKind = "key" | "session" | "operator" | "command";

/** Who did it. */
export interface AuditActor {
  readonly by: AuditActorKind;
  /** Id of the API key; null for commands. */
  readonly key: string | null;
  /** Name of the key at that time; of a command, the user of the operating system. */
  readonly name: string | null;
  /** Null for commands. */
  readonly clientAddress: string | null;
}

/** Actions that are recorded, as `<what>.<verb>`. */
export const auditActions = [
  "key.create",
  "key.rotate",
  "key.revoke",
  "server.create",
  "server.update",
  "server.delete",
  "server.empty",
  "server.reset_password",
  "message.delete",
  "dns_zone.put",
  "dns_zone.delete",
  "device.create",
  "device.delete",
  "verified_address.add",
  "verified_address.verify",
  "verified_address.remove",
  "phone_number.add",
  "phone_number.update",
  "phone_number.remove",
  "approved_phrases.set",
  "store.export",
  "store.import",
  "store.backup",
  "store.restore",
  "store.repair",
] as const;

/** An action that is recorded. */
export type AuditAction = (typeof auditActions)[number];

/** What was done. */
export interface AuditedAction {
  readonly action: AuditAction;
  /** Id of what was made, changed or removed; null where the action concerns many. */
  readonly target: string | null;
  /** Id of the server that it belongs to; null for what belongs to the account. */
  readonly server: string | null;
  /** Counts, ids and names of settings. */
  readonly details: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** An entry of the audit log. */
export interface AuditEntry extends AuditActor, AuditedAction {
  /** Sorts by instant, then by the order in which the process recorded it. */
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Entries of `messages` are bounded apart from those of the account, so that test traffic does not push these out. */
export type AuditCategory = "account" | "messages";

/** Returns the category of an action. */
export function auditCategoryOf(action: AuditAction): AuditCategory {
  return action === "message.delete" || action === "server.empty" ? "messages" : "account";
}

/** Returns what makes ids of entries: unique over all processes, in order within one and over instants. */
export function createAuditIds(random: () => string): (at: number) => string {
  let count = 0;
  return (at) => {
    count = (count + 1) % 0x1_0000_0000;
    return `${hex(at, 12)}-${hex(count, 8)}-${random()}`;
  };
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
