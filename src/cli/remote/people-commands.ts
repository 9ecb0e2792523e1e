/** Commands about users and teams of a running service. */
import type { RestanteClient } from "../../client/client.ts";
import type { Team, User } from "../../core/people.ts";
import type { TeamLimits, TeamUse } from "../../core/team-limits.ts";
import { type Call, type Command, type Flags, wholeNumberOf } from "../command.ts";
import { accountCommand } from "./remote-commands.ts";

const userNote = "`USER` is the id, the email address or the user name of a user.";
const teamNote = "`TEAM` is the id or the name of a team.";
const roleFlag: Flags = {
  "role viewer|tester|manager": "Role of members that a directory or a sign-in adds. Default: `tester`",
};
const groupFlag: Flags = {
  "external-id TEXT": "Id or name of the group in the directory, if it differs from the name",
};

/** Returns the given flags as members of a request. The service validates them. */
function fieldsOf<Fields>({ flags }: Call, names: Readonly<Record<string, string>>): Fields {
  const given = Object.entries(names).flatMap(([flag, member]) => (flags.has(flag) ? [[member, flags.get(flag)]] : []));
  return Object.fromEntries(given) as Fields;
}

/** Returns the id of the user with this id, e-mail address or user name. Throws an `Error` for the operator. */
export function findUser(users: readonly Pick<User, "id" | "email" | "userName">[], text = ""): string {
  const wanted = text.toLowerCase();
  const found = users.find(
    ({ id, email, userName }) => id === text || [email, userName].some((name) => name.toLowerCase() === wanted),
  );
  if (found === undefined) throw new Error(`There is no user ${text}; restante users list shows them`);
  return found.id;
}

/** Returns the id of the team with this id or name. Throws an `Error` for the operator. */
export function findTeam(teams: readonly Pick<Team, "id" | "name">[], text = ""): string {
  const wanted = text.toLowerCase();
  const found = teams.find(({ id, name }) => id === text || name.toLowerCase() === wanted);
  if (found === undefined) throw new Error(`There is no team ${text}; restante teams list shows them`);
  return found.id;
}

const userOf = async ({ users }: RestanteClient, text?: string): Promise<string> => findUser(await users.list(), text);
const teamOf = async ({ teams }: RestanteClient, text?: string): Promise<string> => findTeam(await teams.list(), text);

/** Returns yes or no as a boolean; undefined for an absent flag. */
function booleanOf({ flags }: Call, name: string): boolean | undefined {
  const text = flags.get(name);
  if (text === undefined || text === "yes" || text === "no") return text === undefined ? undefined : text === "yes";
  throw new Error(`--${name} must be yes or no`);
}

/** Limits of a team: the flag that changes it, its meaning, and the count that it bounds. */
const teamLimits: Readonly<Record<keyof TeamLimits, readonly [flag: string, meaning: string, use?: keyof TeamUse]>> = {
  messagesMax: ["messages-max", "Most messages that the servers of the team hold together", "messages"],
  bytesMax: ["bytes-max", "Most bytes that they hold together", "bytes"],
  ageSecondsMax: ["age-seconds-max", "Age in seconds at which messages are deleted"],
  emailsPerDayMax: ["emails-per-day-max", "Most mails stored per day (UTC)", "emailsToday"],
  smsPerDayMax: ["sms-per-day-max", "Most SMS stored per day (UTC)", "smsToday"],
  outboundPerHourMax: ["outbound-per-hour-max", "Most outbound deliveries per hour", "outboundThisHour"],
};
const limitRows = Object.entries(teamLimits) as [keyof TeamLimits, (typeof teamLimits)[keyof TeamLimits]][];

/** Returns the given limits; null for those to remove. Throws an `Error` for the operator. */
function limitsOf({ flags }: Call): Partial<TeamLimits> {
  const given = limitRows.filter(([, [flag]]) => flags.has(flag));
  return Object.fromEntries(
    given.map(([limit, [flag]]) => [limit, flags.get(flag) === "none" ? null : wholeNumberOf(flags, flag, " or none")]),
  );
}

const userCommands: readonly Command[] = [
  accountCommand("users list", {
    summary: "List the users: id, email address, name, state, last sign-in",
    run: async ({ client }) =>
      (await client.users.list()).map(({ id, email, name, isOwner, isActive, lastSeen }) => {
        const state = [isActive ? "active" : "inactive", ...(isOwner ? ["owner"] : [])].join(",");
        return [id, email, name, state, lastSeen ?? "never signed in"];
      }),
  }),
  accountCommand("users create", {
    operands: ["EMAIL"],
    flags: { "name TEXT": "Name to show", owner: "Make the user an owner of the account" },
    summary: "Add a user and print its id",
    details: ["A user has access once it is a member of a team: `restante teams add`."],
    run: async ({ client }, call) => {
      const fields = fieldsOf<{ name?: string }>(call, { name: "name" });
      const isOwner = call.flags.has("owner");
      return [[(await client.users.create({ email: call.operands[0] ?? "", ...fields, isOwner })).id]];
    },
  }),
  accountCommand("users change", {
    operands: ["USER"],
    flags: {
      "email ADDRESS": "New email address",
      "name TEXT": "New name",
      "owner yes|no": "Whether the user owns the account",
    },
    summary: "Change a user",
    details: [userNote],
    run: async ({ client }, call) => {
      const fields = fieldsOf<{ email?: string; name?: string }>(call, { email: "email", name: "name" });
      const isOwner = booleanOf(call, "owner");
      const user = await userOf(client, call.operands[0]);
      await client.users.update(user, { ...fields, ...(isOwner !== undefined && { isOwner }) });
    },
  }),
  ...[true, false].map((isActive) =>
    accountCommand(isActive ? "users activate" : "users deactivate", {
      operands: ["USER"],
      summary: isActive
        ? "Give a deactivated user and its keys their access again"
        : "End the access of a user, its sessions and its keys",
      details: [userNote],
      run: async ({ client }, { operands: [user] }) => {
        await client.users.update(await userOf(client, user), { isActive });
      },
    }),
  ),
  accountCommand("users delete", {
    operands: ["USER"],
    summary: "Delete a user with its keys",
    details: [userNote],
    run: async ({ client }, { operands: [user] }) => client.users.delete(await userOf(client, user)),
  }),
  accountCommand("users teams", {
    operands: ["USER"],
    summary: "List the teams of a user: id, name, role, source",
    details: [userNote],
    run: async ({ client }, { operands: [user] }) => {
      const names = new Map((await client.teams.list()).map(({ id, name }) => [id, name]));
      const memberships = await client.users.teams(await userOf(client, user));
      return memberships.map(({ team, role, source }) => [team, names.get(team) ?? "", role, source]);
    },
  }),
];

const teamCommands: readonly Command[] = [
  accountCommand("teams list", {
    summary: "List the teams: id, name, role of members that groups add, group in the directory",
    run: async ({ client }) =>
      (await client.teams.list()).map(({ id, name, role, externalId }) => [id, name, role, externalId ?? ""]),
  }),
  accountCommand("teams create", {
    operands: ["NAME"],
    flags: { ...roleFlag, ...groupFlag },
    summary: "Add a team and print its id",
    run: async ({ client }, call) => {
      const fields = fieldsOf<object>(call, { role: "role", "external-id": "externalId" });
      return [[(await client.teams.create({ name: call.operands[0] ?? "", ...fields })).id]];
    },
  }),
  accountCommand("teams change", {
    operands: ["TEAM"],
    flags: { "name TEXT": "New name", ...roleFlag, ...groupFlag },
    summary: "Change a team",
    details: [teamNote],
    run: async ({ client }, call) => {
      const fields = fieldsOf<object>(call, { name: "name", role: "role", "external-id": "externalId" });
      await client.teams.update(await teamOf(client, call.operands[0]), fields);
    },
  }),
  accountCommand("teams delete", {
    operands: ["TEAM"],
    summary: "Delete a team with its keys; its servers then belong to no team",
    details: [teamNote],
    run: async ({ client }, { operands: [team] }) => client.teams.delete(await teamOf(client, team)),
  }),
  accountCommand("teams members", {
    operands: ["TEAM"],
    summary: "List the members of a team: id, email address, role, source",
    details: [teamNote],
    run: async ({ client }, { operands: [team] }) => {
      const members = await client.teams.members(await teamOf(client, team));
      return members.map(({ user, email, role, source }) => [user, email, role, source]);
    },
  }),
  accountCommand("teams add", {
    operands: ["TEAM", "USER"],
    flags: { "role viewer|tester|manager": "Role in the team. Default: `tester`" },
    summary: "Put a user into a team, or change its role there",
    details: [`${teamNote} ${userNote}`],
    run: async ({ client }, { operands: [team, user], flags }) => {
      // The service validates it.
      const role = (flags.get("role") ?? "tester") as "tester";
      await client.teams.putMember({ team: await teamOf(client, team), user: await userOf(client, user) }, { role });
    },
  }),
  accountCommand("teams remove", {
    operands: ["TEAM", "USER"],
    summary: "Remove a user from a team",
    details: [`${teamNote} ${userNote}`],
    run: async ({ client }, { operands: [team, user] }) =>
      client.teams.removeMember({ team: await teamOf(client, team), user: await userOf(client, user) }),
  }),
  accountCommand("teams limits", {
    operands: ["TEAM"],
    flags: Object.fromEntries(limitRows.map(([, [flag, meaning]]) => [`${flag} N|none`, meaning])),
    summary: "List the limits of a team: name, limit, what counts against it; flags change them first",
    details: [
      `${teamNote} Limits without a flag stay; \`none\` removes one. Only an account key or an owner changes limits.`,
      "[A whole company](../guide/company.md#limits) describes the effects. Mails, SMS and deliveries are counted while the team has any limit.",
    ],
    run: async ({ client }, call) => {
      const { teams } = client;
      const id = await teamOf(client, call.operands[0]);
      const change = limitsOf(call);
      const isChange = Object.keys(change).length > 0;
      const { limits, use } = isChange ? await teams.updateLimits(id, change) : await teams.limits(id);
      return limitRows.map(([limit, [, , count]]) => [
        limit,
        String(limits[limit] ?? "none"),
        count === undefined ? "-" : String(use[count]),
      ]);
    },
  }),
  accountCommand("teams servers", {
    operands: ["TEAM"],
    summary: "List the servers of a team: id, name",
    details: [teamNote],
    run: async ({ client }, { operands: [text] }) => {
      const id = await teamOf(client, text);
      return (await client.servers.list()).flatMap((server) => (server.team === id ? [[server.id, server.name]] : []));
    },
  }),
  accountCommand("teams assign", {
    operands: ["TEAM", "SERVER"],
    summary: "Make a team the owner of a server, which its members then see",
    details: [`${teamNote} \`SERVER\` is the id of a server.`],
    run: async ({ client }, { operands: [team, server = ""] }) => {
      await client.servers.update(server, { team: await teamOf(client, team) });
    },
  }),
  accountCommand("teams unassign", {
    operands: ["SERVER"],
    summary: "Take a server from its team; keys without a team, and owners of the account, still see it",
    run: async ({ client }, { operands: [server = ""] }) => {
      await client.servers.update(server, { team: null });
    },
  }),
];

/** Commands for users and teams, in the order of the help. */
export const peopleCommands: readonly Command[] = [...userCommands, ...teamCommands];
