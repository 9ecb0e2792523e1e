/** Usage by team and by server, for a month. */
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { build, orNull, refer, type ValueOf } from "../../core/schema.ts";
import type { Server } from "../../core/server.ts";
import { noTeamLimits, teamLimitsSchema } from "../../core/team-limits.ts";
import { addUsage, type Month, monthOf, noUsage, parseMonth, type UsageCounts } from "../../core/usage.ts";
import type { Context } from "../context.ts";
import { requireAnyManager } from "../services/security/access.ts";
import { findKeptServers, idleDaysOf } from "./retention-rules.ts";

const counts = {
  email: build.integer("Mails stored in the month, once per server; deleting them does not lower the count."),
  sms: build.integer("SMS stored in the month."),
  bytes: build.integer("Bytes of the messages that were stored in the month, before compression."),
  outbound: build.integer("Outbound deliveries of the month, one per recipient."),
};
const held = {
  messages: build.integer("Messages that are stored at present."),
  storedBytes: build.integer("Bytes that count against the quota at present."),
};
const teamName = "Name of the team; null for servers without one, and for a team that was removed.";

/** Schema of the usage of a team in a month. */
export const teamUsageSchema = build.object(
  {
    team: orNull(build.string("Id of the team that owned the servers at that time; null for servers without one.")),
    name: orNull(build.string(teamName)),
    ...counts,
    servers: build.integer("Servers that belong to the team at present."),
    ...held,
    limits: refer(teamLimitsSchema),
  },
  { $id: "TeamUsage" },
);

/** Usage of a team in a month. */
export type TeamUsage = ValueOf<typeof teamUsageSchema>;

/** Schema of the usage of a server in a month, and of its last traffic. */
export const serverUsageSchema = build.object(
  {
    server: build.string("Id of the server."),
    name: build.string("Name of the server."),
    team: orNull(build.string("Id of the team that owns the server; null for none.")),
    teamName: orNull(build.string("Name of the team; null for none.")),
    managers: build.array(build.string(), "E-mail addresses of the managers of the team."),
    ...counts,
    ...held,
    lastTrafficAt: build.string({
      format: "date-time",
      description: "Instant of the newest message, deleted ones included, or of the creation.",
    }),
    idleDays: build.integer("Whole days since then."),
    isProtected: build.boolean("Whether the setting of the server keeps the rule for idle servers from removing it."),
    isKept: build.boolean("Whether the rule never removes it: as catch-all server, or because it is configured."),
    removedAt: orNull(
      build.string({ format: "date-time", description: "When the rule removes the server without further traffic." }),
    ),
  },
  { $id: "ServerUsageReport" },
);

/** Usage of a server in a month, and its last traffic. */
export type ServerUsageReport = ValueOf<typeof serverUsageSchema>;

const dayMs = 86_400_000;

/** Returns the month of a request, the current one by default. Throws a 400 on `month`. */
export function monthOfRequest({ clock }: Pick<Context, "clock">, name: string | undefined): Month {
  const month = name === undefined ? monthOf(clock.now()) : parseMonth(name);
  if (month === undefined) throw invalidField("month", "A month such as 2026-11");
  return month;
}

/**
 * Returns the usage of the teams that the principal manages, by name; all for the account, then that of servers without a team.
 * Teams that were removed are included where they have usage. Rejects with `forbidden`.
 */
export async function listTeamUsage(
  context: Context,
  principal: Principal,
  { firstDay, endDay }: Month,
): Promise<readonly TeamUsage[]> {
  requireAnyManager(principal);
  const { store } = context;
  const [usage, servers, teams, limits] = await Promise.all([
    store.listServerUsage(firstDay, endDay),
    store.listServers(),
    store.people.listTeams(),
    store.teamLimits.listTeamLimits(),
  ]);
  const sums = sumBy(usage, ({ team }) => team);
  const owned = Map.groupBy(servers, ({ team }) => team);
  const names = new Map<string | null, string>(teams.map(({ id, name }) => [id, name]));
  const removed = [...sums.keys()].filter((team) => team !== null && !names.has(team));
  return [...names.keys(), ...removed, null]
    .filter((team) => maySeeTeam(principal, team))
    .map((team) => {
      const own = owned.get(team) ?? [];
      return {
        team,
        name: names.get(team) ?? null,
        ...(sums.get(team) ?? noUsage),
        servers: own.length,
        messages: own.reduce((sum, { messages }) => sum + messages, 0),
        storedBytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
        limits: limits.get(team ?? "") ?? noTeamLimits,
      };
    });
}

/** Month of a report, and the least number of days without traffic of its servers. */
export interface ServerUsageRequest {
  readonly month: Month;
  readonly idleDays: number;
}

/**
 * Returns the usage of the servers of the teams that the principal manages, all for the account: those that are idle longest
 * first, others by name. Usage before the month before this one is not known by server. Rejects with `forbidden`.
 */
export async function listServerUsage(
  context: Context,
  principal: Principal,
  { month: { firstDay, endDay }, idleDays }: ServerUsageRequest,
): Promise<readonly ServerUsageReport[]> {
  requireAnyManager(principal);
  const { store, clock } = context;
  const now = clock.now();
  const servers = (await store.listServers()).filter(
    (server) => maySeeTeam(principal, server.team) && idleDaysOf(server, now) >= idleDays,
  );
  const [usage, kept, owners] = await Promise.all([
    store.listServerUsage(firstDay, endDay),
    findKeptServers(context),
    readOwners(context, servers),
  ]);
  const sums = sumBy(usage, ({ server }) => server);
  const reports = servers.map((server) => {
    const { isProtected } = server;
    const isKept = kept.has(server.id);
    const { idleServerDays: days } = context.settings;
    const removedAt = isProtected || isKept || days === null ? null : server.trafficAt + days * dayMs;
    return {
      server: server.id,
      name: server.name,
      team: server.team,
      ...(owners.get(server.team ?? "") ?? { teamName: null, managers: [] }),
      ...(sums.get(server.id) ?? noUsage),
      messages: server.messages,
      storedBytes: server.bytes,
      lastTrafficAt: new Date(server.trafficAt).toISOString(),
      idleDays: idleDaysOf(server, now),
      isProtected,
      isKept,
      removedAt: removedAt === null ? null : new Date(removedAt).toISOString(),
    };
  });
  return idleDays === 0 ? reports : reports.toSorted((a, b) => (a.lastTrafficAt < b.lastTrafficAt ? -1 : 1));
}

function sumBy<Row extends UsageCounts, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, UsageCounts> {
  const sums = new Map<Key, UsageCounts>();
  for (const row of rows) sums.set(keyOf(row), addUsage(sums.get(keyOf(row)) ?? noUsage, row));
  return sums;
}

function maySeeTeam({ server }: Principal, team: string | null): boolean {
  return server === null || (typeof server !== "string" && team !== null && server.managed.has(team));
}

type Owners = ReadonlyMap<string, Pick<ServerUsageReport, "teamName" | "managers">>;

/** Returns the owners of servers by team, with the addresses of their active managers. */
async function readOwners({ store }: Context, servers: readonly Server[]): Promise<Owners> {
  if (servers.every(({ team }) => team === null)) return new Map();
  const [teams, memberships, users] = await Promise.all([
    store.people.listTeams(),
    store.people.listMemberships(),
    store.people.listUsers(),
  ]);
  const addresses = new Map(users.filter(({ isActive }) => isActive).map(({ id, email }) => [id, email]));
  const managing = memberships.filter(({ role }) => role === "manager");
  const byTeam = Map.groupBy(managing, ({ team }) => team);
  return new Map(
    teams.map(({ id, name }) => {
      const managers = (byTeam.get(id) ?? []).flatMap(({ user }) => addresses.get(user) ?? []);
      return [id, { teamName: name, managers: managers.toSorted() }];
    }),
  );
}
