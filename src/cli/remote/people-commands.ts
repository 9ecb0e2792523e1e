/** Commands about users and teams of a running service. */
import type { RestanteClient } from "../../client/client.ts";
import type { Call, Command, Flags } from "../command.ts";
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

async function findUser({ users }: RestanteClient, text = ""): Promise<string> {
  const wanted = text.toLowerCase();
  const found = (await users.list()).find(
    ({ id, email, userName }) => id === text || [email, userName].some((name) => name.toLowerCase() === wanted),
  );
  if (found === undefined) throw new Error(`There is no user ${text}; restante users list shows them`);
  return found.id;
}

async function findTeam({ teams }: RestanteClient, text = ""): Promise<string> {
  const wanted = text.toLowerCase();
  const found = (await teams.list()).find(({ id, name }) => id === text || name.toLowerCase() === wanted);
  if (found === undefined) throw new Error(`There is no team ${text}; restante teams list shows them`);
  return found.id;
}

/** Returns yes or no as a boolean; undefined for an absent flag. */
function booleanOf({ flags }: Call, name: string): boolean | undefined {
  const text = flags.get(name);
  if (text === undefined || text === "yes" || text === "no") return text === undefined ? undefined : text === "yes";
  throw new Error(`--${name} must be yes or no`);
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
      const user = await findUser(client, call.operands[0]);
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
        await client.users.update(await findUser(client, user), { isActive });
      },
    }),
  ),
  accountCommand("users delete", {
    operands: ["USER"],
    summary: "Delete a user with its keys",
    details: [userNote],
    run: async ({ client }, { operands: [user] }) => client.users.delete(await findUser(client, user)),
  }),
  accountCommand("users teams", {
    operands: ["USER"],
    summary: "List the teams of a user: id, name, role, source",
    details: [userNote],
    run: async ({ client }, { operands: [user] }) => {
      const names = new Map((await client.teams.list()).map(({ id, name }) => [id, name]));
      const memberships = await client.users.teams(await findUser(client, user));
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
      await client.teams.update(await findTeam(client, call.operands[0]), fields);
    },
  }),
  accountCommand("teams delete", {
    operands: ["TEAM"],
    summary: "Delete a team with its keys; its servers then belong to no team",
    details: [teamNote],
    run: async ({ client }, { operands: [team] }) => client.teams.delete(await findTeam(client, team)),
  }),
  accountCommand("teams members", {
    operands: ["TEAM"],
    summary: "List the members of a team: id, email address, role, source",
    details: [teamNote],
    run: async ({ client }, { operands: [team] }) => {
      const addresses = new Map((await client.users.list()).map(({ id, email }) => [id, email]));
      const members = await client.teams.members(await findTeam(client, team));
      return members.map(({ user, role, source }) => [user, addresses.get(user) ?? "", role, source]);
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
      await client.teams.putMember(
        { team: await findTeam(client, team), user: await findUser(client, user) },
        { role },
      );
    },
  }),
  accountCommand("teams remove", {
    operands: ["TEAM", "USER"],
    summary: "Remove a user from a team",
    details: [`${teamNote} ${userNote}`],
    run: async ({ client }, { operands: [team, user] }) =>
      client.teams.removeMember({ team: await findTeam(client, team), user: await findUser(client, user) }),
  }),
  accountCommand("teams servers", {
    operands: ["TEAM"],
    summary: "List the servers of a team: id, name",
    details: [teamNote],
    run: async ({ client }, { operands: [text] }) => {
      const id = await findTeam(client, text);
      return (await client.servers.list()).flatMap((server) => (server.team === id ? [[server.id, server.name]] : []));
    },
  }),
  accountCommand("teams assign", {
    operands: ["TEAM", "SERVER"],
    summary: "Make a team the owner of a server, which its members then see",
    details: [`${teamNote} \`SERVER\` is the id of a server.`],
    run: async ({ client }, { operands: [team, server = ""] }) => {
      await client.servers.update(server, { team: await findTeam(client, team) });
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
