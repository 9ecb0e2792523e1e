/**
 * Entries of the audit log: actor, action and object by ids and counts. They never contain secrets or content, and no mail
 * address but that of the user who acted.
 */

/**
 * Kinds of actors.
 * - `key`: an API key in the request.
 * - `session`: a browser session of a key or of a user.
 * - `operator`: a key and the token in the data directory of the service.
 * - `command`: a CLI command that opened the store directly.
 * - `service`: a rule of the service.
 */
export const auditActorKinds = ["key", "session", "operator", "command", "service"] as const;

/** Means of authentication of an actor. */
export type AuditActorKind = (typeof auditActorKinds)[number];

/** Actor of an audited action. */
export interface AuditActor {
  readonly by: AuditActorKind;
  /** Id of the API key; null for commands, rules, and sessions of users. */
  readonly key: string | null;
  /** Name of the key at that time; for commands, the user of the operating system. */
  readonly name: string | null;
  /** Null for commands and rules. */
  readonly clientAddress: string | null;
  /** Id of the user that has signed in or owns the key, and its e-mail address at that time; absent for other actors. */
  readonly user?: string | null;
  readonly email?: string | null;
}

/** Audited actions, as `<object>.<verb>`. */
export const auditActions = [
  "key.create",
  "key.rotate",
  "key.revoke",
  "user.create",
  "user.update",
  "user.delete",
  "team.create",
  "team.update",
  "team.delete",
  "membership.put",
  "membership.remove",
  "server.create",
  "server.update",
  "server.delete",
  "server.empty",
  "server.reset_password",
  "server.read_password",
  "message.delete",
  "message.delete_matching",
  "message.delete_by_reader",
  "message.unsubscribe",
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
  "webhook.create",
  "webhook.update",
  "webhook.delete",
  "webhook.rotate",
  "event_webhook.put",
  "event_webhook.delete",
  "event_webhook.rotate",
  "inbound_route.create",
  "inbound_route.update",
  "inbound_route.delete",
  "inbound_route.rotate",
  "delivery.replay",
  "delivery.erase",
  "quarantine.retry",
  "faults.replace",
  "faults.clear",
  "tagging.set",
  "tag.rename",
  "tag.remove",
  "provider_object.change",
  "saved_search.put",
  "saved_search.delete",
  "scanner.set",
  "scanner.remove",
  "session.open",
  "session.close",
  "store.export",
  "store.import",
  "store.backup",
  "store.restore",
  "store.drill",
  "store.repair",
] as const;

/** Audited action with its object. */
export type AuditAction = (typeof auditActions)[number];

/** Name of the action. */
export interface AuditedAction {
  readonly action: AuditAction;
  /** Id of the created, changed or removed object; null for actions on several objects. */
  readonly target: string | null;
  /** Id of the object's server; null for objects of the account. */
  readonly server: string | null;
  /** Counts, ids and names of changed settings. */
  readonly details: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** Entry of the audit log. */
export interface AuditEntry extends AuditActor, AuditedAction {
  /** Sorts by instant, then by recording order within the process. */
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Category of an action. Each category has its own retention limit, so that test traffic does not evict account entries. */
export type AuditCategory = "account" | "messages";

const messageActions: ReadonlySet<AuditAction> = new Set([
  "message.delete",
  "message.delete_matching",
  "message.delete_by_reader",
  "message.unsubscribe",
  "server.empty",
]);

/** Returns the category of an action. */
export function auditCategoryOf(action: AuditAction): AuditCategory {
  return messageActions.has(action) ? "messages" : "account";
}

/** Returns a generator of entry ids: unique across processes, ordered by instant and, within a process, by call. */
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
