import { build, orNull, type ValueOf } from "./schema.ts";
import { Problem } from "./errors.ts";
import type { ServerId } from "./ids.ts";

// Storage quotas of servers.

/** Schema of the storage quota of a server. */
export const quotaSchema = build.object(
  {
    messages: orNull(
      build.integer({ minimum: 1 }),
      "Most messages that the server may hold; null for the default of all servers.",
    ),
    bytes: orNull(
      build.integer({ minimum: 1 }),
      "Most bytes that the server may hold; null for the default of all servers.",
    ),
  },
  { $id: "ServerQuota", description: "Storage quota; null for the default of all servers." },
);

/** Limits on the content of one server; null for no limit. */
export type ServerQuota = ValueOf<typeof quotaSchema>;

/** Schema of the storage that a server uses. */
export const usageSchema = build.object(
  {
    messages: build.integer("Messages that the server holds, sent ones included."),
    bytes: build.integer("Bytes of raw messages and details, before compression."),
  },
  { $id: "ServerUsage", description: "Storage that counts against the quota." },
);

/** Messages and bytes that a server contains, or that are added to it. */
export type ServerUsage = ValueOf<typeof usageSchema>;

/** Quota without limits. */
export const noQuota: ServerQuota = { messages: null, bytes: null };

/**
 * Returns the bytes that the content of a message counts for: its raw bytes as received and its stored details, both
 * before compression. Its annotations count too, by the bytes of their JSON. Summaries and indexes are not counted.
 */
export function storedBytes({ raw, detail }: { readonly raw: Uint8Array; readonly detail: Uint8Array }): number {
  return raw.length + detail.length;
}

/** Returns whether a server has a limit, of its own or by default. */
export function hasQuota(own: ServerQuota, fallback: ServerQuota): boolean {
  return [own.messages ?? fallback.messages, own.bytes ?? fallback.bytes].some((limit) => limit !== null);
}

/**
 * Throws `quota_exceeded` when `added` exceeds a quota. The quota of its own overrides the default. `owner` is the subject of the
 * error: "Server abcd1234".
 */
export function requireRoom(
  owner: string,
  { used, added }: { readonly used: ServerUsage; readonly added: ServerUsage },
  { own, fallback }: { readonly own: ServerQuota; readonly fallback: ServerQuota },
): void {
  for (const kind of ["messages", "bytes"] as const) {
    const quota = own[kind] ?? fallback[kind];
    if (quota === null || used[kind] + added[kind] <= quota) continue;
    throw new Problem("quota_exceeded", {
      limit: "server",
      text: `${owner} is over its quota of ${quota} ${kind}: it holds ${used[kind]}, and this needs ${added[kind]} more`,
    });
  }
}

/** Schema of the retention rules of a server. */
export const retentionSchema = build.object(
  {
    ageSecondsMax: orNull(
      build.integer({ minimum: 1 }),
      "Messages older than this many seconds are deleted; null for no limit.",
    ),
    messageCountMax: orNull(
      build.integer({ minimum: 1 }),
      "The oldest messages beyond this number are deleted; null for no limit.",
    ),
  },
  { $id: "Retention", description: "Retention rules; null disables a rule." },
);

/** Retention rules of a server; null disables a rule. Both are disabled by default. */
export type Retention = ValueOf<typeof retentionSchema>;

/** Effects that a deletion by POP3 or IMAP can have. */
export const readerDeletions = ["delete", "hide", "refuse"] as const;

/**
 * Effect of a deletion by POP3 or IMAP: the message is deleted from the server, or hidden from the reader that deletes it, or
 * the command is refused with a reason.
 */
export type ReaderDeletion = (typeof readerDeletions)[number];

/** Effect where none was chosen. */
export const defaultReaderDeletion: ReaderDeletion = "delete";

/** Container of messages, isolated from all others. */
export interface Server {
  readonly id: ServerId;
  readonly name: string;
  /** Ids of users with access, as given; the service attaches no meaning to them. */
  readonly users: readonly string[];
  /** Id of the team that owns the server; null for none. */
  readonly team: string | null;
  /** Number of messages in both directions. */
  readonly messages: number;
  /** Bytes of these messages, by `storedBytes`. */
  readonly bytes: number;
  /** Quota of its own; the default of all servers applies where a member is null. */
  readonly quota: ServerQuota;
  readonly retention: Retention;
  readonly readerDeletion: ReaderDeletion;
  /** Number of messages that retention has removed since the server was created. */
  readonly retired: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /**
   * UIDVALIDITY of its mailboxes (RFC 9051 section 2.3.1.1). UIDs are numbers of changes, which begin again when a server is
   * created, imported or restored: it has a greater value then.
   */
  readonly uidValidity: number;
  /** When the server is deleted with its messages, in milliseconds since the Unix epoch; null for never. */
  readonly expiresAt: number | null;
  /** Instant of the newest message that was ever stored, or of the creation; in milliseconds since the Unix epoch. */
  readonly trafficAt: number;
  /** Whether the server stays although it has no traffic. */
  readonly isProtected: boolean;
}

/** Changes to a server; absent members stay as they are. */
export interface ServerChange {
  readonly name?: string;
  readonly users?: readonly string[];
  readonly team?: string | null;
  readonly retention?: Partial<Retention>;
  readonly quota?: Partial<ServerQuota>;
  readonly readerDeletion?: ReaderDeletion;
  readonly isProtected?: boolean;
}

/** Messages stored within one day of UTC. */
export interface DayUsage {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly email: number;
  readonly sms: number;
}

/** Returns the day of an instant in milliseconds since the Unix epoch, in days since 1970-01-01 (UTC). */
export function dayOf(instantMs: number): number {
  return Math.floor(instantMs / dayMs);
}

/** Returns the first instant of a day, in milliseconds since the Unix epoch. */
export function startOfDay(day: number): number {
  return day * dayMs;
}

const dayMs = 86_400_000;
