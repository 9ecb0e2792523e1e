/** Statements about limits of teams, which the transactions that store and send messages apply. */
import { Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { dayOf, startOfDay, type ServerUsage } from "../../core/server.ts";
import {
  hasTeamQuota,
  noTeamLimits,
  requireTeamRoom,
  teamLimitNames,
  teamOf,
  type TeamLimits,
  type TeamUse,
} from "../../core/team-limits.ts";
import { currentWindow, spendAllowance, type OutboundWindow } from "../outbox-store.ts";
import { DialectRows } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { requireOwner } from "./key-rows.ts";

/** Addition of a transaction to the team of a server; `team` is null for a server without one. */
export interface TeamAddition extends ServerUsage {
  readonly team: string | null;
  readonly server: ServerId;
  /** Number of the messages that are SMS. */
  readonly sms: number;
  /** Instant of the newest message, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** New outbound deliveries, and their instant. */
  readonly outbound: { readonly count: number; readonly now: number };
}

/** Counts of a team that limits compare, after an addition. */
interface TeamCounts {
  readonly team: string;
  /** Day of the counts of mails and SMS. */
  readonly day: number;
  readonly emailCount: number;
  readonly smsCount: number;
  readonly outboundStartedAt: number;
  readonly outboundCount: number;
}

interface LimitRow extends TeamLimits, TeamCounts {}

const columnOf: Readonly<Record<keyof TeamLimits, string>> = {
  messagesMax: "messages_max",
  bytesMax: "bytes_max",
  ageSecondsMax: "age_seconds_max",
  emailsPerDayMax: "emails_per_day_max",
  smsPerDayMax: "sms_per_day_max",
  outboundPerHourMax: "outbound_per_hour_max",
};
const limitColumns = teamLimitNames.map((name) => columnOf[name]);
const selected = `select team, ${teamLimitNames.map((name) => `${columnOf[name]} as "${name}"`).join(", ")}, day,
  email_count as "emailCount", sms_count as "smsCount", outbound_started_at as "outboundStartedAt",
  outbound_count as "outboundCount" from team_limit`;

/** Statements about limits of teams. Their guarantees are those of `TeamLimitStore`. */
export class TeamLimitRows extends DialectRows {
  *getTeamLimits(team: string): Query<TeamLimits> {
    return limitsOf(yield* this.#find(team));
  }

  *listTeamLimits(): Query<ReadonlyMap<string, TeamLimits>> {
    const rows = yield* rowsOf<LimitRow>(`${selected} order by team`);
    return new Map(rows.map((row) => [row.team, limitsOf(row)]));
  }

  *putTeamLimits(team: string, limits: TeamLimits): Query<void> {
    yield* requireOwner(this.dialect, { kind: "team", id: team });
    const values = teamLimitNames.map((name) => limits[name]);
    if (values.every((value) => value === null)) {
      yield* this.removeTeamLimits(team);
      return;
    }
    yield* rowsOf(
      `insert into team_limit (team, ${limitColumns.join(", ")}) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (team) do update set ${limitColumns.map((name) => `${name} = excluded.${name}`).join(", ")}`,
      [team, ...values],
    );
  }

  *removeTeamLimits(team: string): Query<void> {
    yield* rowsOf("delete from team_limit where team = $1", [team]);
  }

  *getTeamUse(team: string, now: number): Query<TeamUse> {
    const { messages, bytes } = yield* this.measureTeam(team);
    const row = yield* this.#find(team);
    const isToday = row?.day === dayOf(now);
    return {
      messages,
      bytes,
      emailsToday: isToday ? row.emailCount : 0,
      smsToday: isToday ? row.smsCount : 0,
      outboundThisHour: row === undefined ? 0 : currentWindow(windowOf(row), now).count,
    };
  }

  /** Returns what the servers of a team hold, with their held messages. */
  *measureTeam(team: string): Query<ServerUsage> {
    const [stored] = yield* rowsOf<ServerUsage>(
      `/* all servers */ select cast(coalesce(sum(received_count + sent_count), 0) as bigint) as messages,
         cast(coalesce(sum(byte_count), 0) as bigint) as bytes from server where team = $1`,
      [team],
    );
    const held = yield* rowsOf<ServerUsage & { readonly server: ServerId }>(
      `select server, count(*) as messages, cast(sum(held_bytes) as bigint) as bytes from scheduled_email
       where held_bytes is not null group by server`,
    );
    const total = { messages: stored?.messages ?? 0, bytes: stored?.bytes ?? 0 };
    if (held.length === 0) return total;
    const { isAmong, list } = this.dialect;
    const rows = yield* rowsOf<{ readonly id: ServerId }>(
      `/* all servers */ select id from server where team = $1 and ${isAmong("id", "$2", "text")}`,
      [team, list(held.map(({ server }) => server))],
    );
    const ofTeam = new Set(rows.map(({ id }) => id));
    for (const { server, messages, bytes } of held) {
      if (!ofTeam.has(server)) continue;
      total.messages += messages;
      total.bytes += bytes;
    }
    return total;
  }

  /**
   * Locks the limits of the teams of additions until the commit. Throws `quota_exceeded`, `limit_reached` or
   * `too_many_requests` when an addition would exceed one. Writes nothing: returns the counts for {@link countTeams}, none where
   * `isStorageOnly` leaves the limits of day and hour out.
   */
  *requireTeamRoom(additions: readonly TeamAddition[], isStorageOnly = false): Query<readonly TeamCounts[]> {
    const counts: TeamCounts[] = [];
    const byTeam = Map.groupBy(additions, ({ team }) => team ?? "");
    byTeam.delete("");
    for (const [team, [first, ...others]] of [...byTeam].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      if (first === undefined) continue;
      const row = yield* this.#find(team, this.dialect.forUpdate);
      if (row === undefined) continue;
      const added = others.reduce(sumOf, first);
      if (hasTeamQuota(row)) requireTeamRoom(added.server, row, { used: yield* this.measureTeam(team), added });
      if (!isStorageOnly) counts.push(countsAfter(row, added));
    }
    return counts;
  }

  /** Writes the counts of an addition, in the transaction that has checked it. */
  *countTeams(counts: readonly TeamCounts[]): Query<void> {
    for (const { team, day, emailCount, smsCount, outboundStartedAt, outboundCount } of counts) {
      yield* rowsOf(
        `update team_limit set day = $2, email_count = $3, sms_count = $4, outbound_started_at = $5, outbound_count = $6
         where team = $1`,
        [team, day, emailCount, smsCount, outboundStartedAt, outboundCount],
      );
    }
  }

  *#find(team: string, suffix = ""): Query<LimitRow | undefined> {
    return (yield* rowsOf<LimitRow>(`${selected} where team = $1 ${suffix}`, [team]))[0];
  }
}

function limitsOf(row: LimitRow | undefined): TeamLimits {
  if (row === undefined) return noTeamLimits;
  return Object.fromEntries(teamLimitNames.map((name) => [name, row[name]])) as TeamLimits;
}

function windowOf({ outboundStartedAt, outboundCount }: TeamCounts): OutboundWindow {
  return { startedAt: outboundStartedAt, count: outboundCount };
}

/** Returns the counts of day and hour after an addition. Throws `limit_reached` and `too_many_requests`. */
function countsAfter(row: LimitRow, added: TeamAddition): TeamCounts {
  const allowance = {
    countMax: row.outboundPerHourMax ?? Infinity,
    now: added.outbound.now,
    owner: teamOf(added.server),
    limit: "team_outbound",
  } as const;
  const { startedAt, count } = spendAllowance(windowOf(row), allowance, added.outbound.count);
  return { team: row.team, ...dayCounts(row, added), outboundStartedAt: startedAt, outboundCount: count };
}

function sumOf(one: TeamAddition, other: TeamAddition): TeamAddition {
  return {
    ...one,
    messages: one.messages + other.messages,
    bytes: one.bytes + other.bytes,
    sms: one.sms + other.sms,
    at: Math.max(one.at, other.at),
    outbound: { ...one.outbound, count: one.outbound.count + other.outbound.count },
  };
}

/** Returns the counts of the day after an addition. Throws `limit_reached`. A message of a day before counts for the last one. */
function dayCounts(row: LimitRow, added: TeamAddition): Pick<TeamCounts, "day" | "emailCount" | "smsCount"> {
  const day = Math.max(row.day, dayOf(added.at));
  const [emails, sms] = day === row.day ? [row.emailCount, row.smsCount] : [0, 0];
  const emailCount = emails + added.messages - added.sms;
  const smsCount = sms + added.sms;
  const kinds = [
    ["mails", "team_email", row.emailsPerDayMax, emailCount, emails],
    ["SMS", "team_sms", row.smsPerDayMax, smsCount, sms],
  ] as const;
  for (const [kind, limit, countMax, count, before] of kinds) {
    if (countMax === null || count <= countMax || count === before) continue;
    throw new Problem("limit_reached", {
      text: `${teamOf(added.server)} has reached its daily limit of ${countMax} ${kind}`,
      limit,
      retryAfterSeconds: Math.max(1, Math.ceil((startOfDay(day + 1) - added.at) / 1000)),
    });
  }
  return { day, emailCount, smsCount };
}
