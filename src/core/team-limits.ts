/** Limits of teams. Each applies beside that of the account or of a server: the narrower one counts. */
import type { ServerId } from "./ids.ts";
import { requireRoom, type Retention, type ServerUsage } from "./server.ts";
import { build, orNull, type ValueOf } from "./schema.ts";

const limit = (description: string, minimum = 1) => orNull(build.integer({ minimum }), description);

/** Schemas of the limits of a team. */
export const teamLimitMembers = {
  messagesMax: limit("Most messages that the servers of the team may hold together; null for no limit."),
  bytesMax: limit("Most bytes that the servers of the team may hold together; null for no limit."),
  ageSecondsMax: limit(
    "Messages older than this many seconds are deleted, also where a server keeps them longer; null for no limit.",
  ),
  emailsPerDayMax: limit("Mails stored per day (UTC), counted once per server; null for no limit."),
  smsPerDayMax: limit("SMS stored per day (UTC); null for no limit."),
  outboundPerHourMax: limit("Outbound deliveries per hour, one per recipient; null for no limit.", 0),
};

/** Schema of the limits of a team. */
export const teamLimitsSchema = build.object(teamLimitMembers, {
  $id: "TeamLimits",
  description: "Limits of a team, over all of its servers; null for none.",
});

/** Limits of a team; null for none. */
export type TeamLimits = ValueOf<typeof teamLimitsSchema>;

/** Names of the limits, in the order of forms and lists. */
export const teamLimitNames = [
  "messagesMax",
  "bytesMax",
  "ageSecondsMax",
  "emailsPerDayMax",
  "smsPerDayMax",
  "outboundPerHourMax",
] as const satisfies readonly (keyof TeamLimits)[];

/** Limits of a team that has none. */
export const noTeamLimits: TeamLimits = {
  messagesMax: null,
  bytesMax: null,
  ageSecondsMax: null,
  emailsPerDayMax: null,
  smsPerDayMax: null,
  outboundPerHourMax: null,
};

/** Schema of what counts against the limits of a team. */
export const teamUseSchema = build.object(
  {
    messages: build.integer("Messages that the servers of the team hold, with those that are held back."),
    bytes: build.integer("Bytes that they hold."),
    emailsToday: build.integer("Mails stored today (UTC); counted while the team has any limit."),
    smsToday: build.integer("SMS stored today (UTC); counted while the team has any limit."),
    outboundThisHour: build.integer("Outbound deliveries of this hour; counted while the team has any limit."),
  },
  { $id: "TeamUse" },
);

/** Messages and deliveries that count against the limits of a team. */
export type TeamUse = ValueOf<typeof teamUseSchema>;

/** Returns whether a team has a storage quota. */
export function hasTeamQuota({ messagesMax, bytesMax }: TeamLimits): boolean {
  return messagesMax !== null || bytesMax !== null;
}

/** Throws `quota_exceeded` when a message of a server exceeds the storage quota of its team. */
export function requireTeamRoom(
  server: ServerId,
  { messagesMax: messages, bytesMax: bytes }: TeamLimits,
  stored: { readonly used: ServerUsage; readonly added: ServerUsage },
): void {
  const own = { messages, bytes };
  requireRoom(teamOf(server), stored, { own, fallback: own });
}

/** Returns the subject of errors about limits of the team of a server; its name would tell other teams. */
export function teamOf(server: ServerId): string {
  return `The team of server ${server}`;
}

/** Returns the retention of a server whose team keeps messages for `ageSecondsMax` at most; null for no limit. */
export function narrowRetention(own: Retention, ageSecondsMax: number | null): Retention {
  if (ageSecondsMax === null) return own;
  return { ...own, ageSecondsMax: Math.min(own.ageSecondsMax ?? ageSecondsMax, ageSecondsMax) };
}
