import { listOf, build } from "../../../core/schema.ts";
import {
  checkTeamRequest,
  createTeam,
  deleteTeam,
  getTeam,
  listMembers,
  listTeams,
  putMember,
  removeMember,
  updateTeam,
  checkTeamLimits,
  getTeamLimits,
  teamLimitStateSchema,
  updateTeamLimits,
} from "../../../operations/people/teams.ts";
import {
  checkUserRequest,
  createUser,
  deleteUser,
  getUser,
  listTeamsOfUser,
  listUsers,
  updateUser,
} from "../../../operations/people/users.ts";
import { auditedAct, responseText } from "../../audit.ts";
import type { KeyRoute } from "../../route.ts";
import {
  memberRequestSchema,
  memberSchema,
  teamMemberSchema,
  teamRequestSchema,
  teamSchema,
  toWireTeam,
  toWireUser,
  userRequestSchema,
  userSchema,
  userUpdateSchema,
} from "../../wire/people-schema.ts";
import { accountRoute } from "../rows.ts";
import { teamLimitMembers } from "../../../core/team-limits.ts";

const userRoutes: readonly KeyRoute[] = [
  accountRoute("listUsers", "GET /api/users", {
    summary: "List the users, by e-mail address; also for managers of teams.",
    returns: ["The users.", listOf(userSchema)],
    run: async ({ context, principal }) => (await listUsers(context, principal)).map(toWireUser),
  }),
  accountRoute("createUser", "POST /api/users", {
    summary: "Add a user, who has access once it is a member of a team.",
    body: userRequestSchema,
    required: ["email"],
    check: checkUserRequest,
    audit: (_call, response) => auditedAct("user.create", { target: responseText(response, "id") }),
    returns: ["The user.", userSchema],
    problems: ["conflict", "limit_reached"],
    run: async ({ context, principal }, request) => toWireUser(await createUser(context, principal, request)),
  }),
  accountRoute("getUser", "GET /api/users/:id", {
    summary: "Retrieve a user; users may retrieve themselves.",
    returns: ["The user.", userSchema],
    run: async ({ context, principal, id }) => toWireUser(await getUser(context, principal, id)),
  }),
  accountRoute("listTeamsOfUser", "GET /api/users/:id/teams", {
    summary: "List the memberships of a user; users may list their own.",
    returns: ["The memberships.", listOf(memberSchema)],
    run: async ({ context, principal, id }) => listTeamsOfUser(context, principal, id),
  }),
  accountRoute("updateUser", "PUT /api/users/:id", {
    summary: "Change a user; absent members stay. A user that becomes inactive loses access at once.",
    body: userUpdateSchema,
    check: checkUserRequest,
    audit: (call, _response, body) =>
      auditedAct("user.update", { target: call.id, details: { fields: Object.keys(body) } }),
    returns: ["The user as it is now.", userSchema],
    problems: ["conflict"],
    run: async ({ context, principal, id }, change) => toWireUser(await updateUser(context, principal, { id, change })),
  }),
  accountRoute("deleteUser", "DELETE /api/users/:id", {
    summary: "Remove a user with its memberships, keys and sessions.",
    audit: (call) => auditedAct("user.delete", { target: call.id }),
    returns: ["Removed."],
    problems: ["conflict"],
    run: async ({ context, principal, id }) => deleteUser(context, principal, id),
  }),
];

const teamRoutes: readonly KeyRoute[] = [
  accountRoute("listTeams", "GET /api/teams", {
    summary: "List the teams, by name; users list those of which they are members.",
    returns: ["The teams.", listOf(teamSchema)],
    run: async ({ context, principal }) => (await listTeams(context, principal)).map(toWireTeam),
  }),
  accountRoute("createTeam", "POST /api/teams", {
    summary: "Add a team, to which servers, users and keys can belong.",
    body: teamRequestSchema,
    required: ["name"],
    check: checkTeamRequest,
    audit: (_call, response) => auditedAct("team.create", { target: responseText(response, "id") }),
    returns: ["The team.", teamSchema],
    problems: ["conflict", "limit_reached"],
    run: async ({ context, principal }, request) => toWireTeam(await createTeam(context, principal, request)),
  }),
  accountRoute("getTeam", "GET /api/teams/:id", {
    summary: "Retrieve a team.",
    returns: ["The team.", teamSchema],
    run: async ({ context, principal, id }) => toWireTeam(await getTeam(context, principal, id)),
  }),
  accountRoute("updateTeam", "PUT /api/teams/:id", {
    summary: "Change a team; absent members stay.",
    body: teamRequestSchema,
    check: checkTeamRequest,
    audit: (call, _response, body) =>
      auditedAct("team.update", { target: call.id, details: { fields: Object.keys(body) } }),
    returns: ["The team as it is now.", teamSchema],
    problems: ["conflict"],
    run: async ({ context, principal, id }, change) => toWireTeam(await updateTeam(context, principal, { id, change })),
  }),
  accountRoute("deleteTeam", "DELETE /api/teams/:id", {
    summary: "Remove a team with its keys; its servers then belong to no team.",
    audit: (call) => auditedAct("team.delete", { target: call.id }),
    returns: ["Removed."],
    run: async ({ context, principal, id }) => deleteTeam(context, principal, id),
  }),
];

const memberPath = "/api/teams/:id/members/:user";

const memberRoutes: readonly KeyRoute[] = [
  accountRoute("listMembers", "GET /api/teams/:id/members", {
    summary: "List the members of a team, by e-mail address; also for its members.",
    returns: ["The members.", listOf(teamMemberSchema)],
    run: async ({ context, principal, id }) => listMembers(context, principal, id),
  }),
  accountRoute("putMember", `PUT ${memberPath}`, {
    summary: "Put a user into a team, or change its role there.",
    body: memberRequestSchema,
    required: ["role"],
    audit: ({ id, params }, response) => {
      const details = { team: id, role: responseText(response, "role") ?? "" };
      return auditedAct("membership.put", { target: params["user"] ?? null, details });
    },
    returns: ["The member.", memberSchema],
    run: async ({ context, principal, id, params }, { role }) =>
      putMember(context, principal, { team: id, user: params["user"] ?? "", role }),
  }),
  accountRoute("removeMember", `DELETE ${memberPath}`, {
    summary: "Remove a user from a team.",
    audit: ({ id, params }) =>
      auditedAct("membership.remove", { target: params["user"] ?? null, details: { team: id } }),
    returns: ["Removed."],
    run: async ({ context, principal, id, params }) =>
      removeMember(context, principal, { team: id, user: params["user"] ?? "" }),
  }),
];

const teamLimitRoutes: readonly KeyRoute[] = [
  accountRoute("getTeamLimits", "GET /api/teams/:id/limits", {
    summary: "Retrieve the limits of a team and what counts against them; also for its members.",
    returns: ["The limits.", teamLimitStateSchema],
    run: async ({ context, principal, id }) => getTeamLimits(context, principal, id),
  }),
  accountRoute("updateTeamLimits", "PUT /api/teams/:id/limits", {
    summary: "Change the limits of a team; absent members stay, null removes a limit.",
    body: build.partial(teamLimitMembers),
    check: checkTeamLimits,
    audit: (call, _response, body) =>
      auditedAct("team.update", {
        target: call.id,
        details: { fields: Object.keys(body).map((name) => `limits.${name}`) },
      }),
    returns: ["The limits as they are now.", teamLimitStateSchema],
    run: async ({ context, principal, id }, change) => updateTeamLimits(context, principal, { id, change }),
  }),
];

/** Routes below `/api/users` and `/api/teams`. */
export const peopleRoutes: readonly KeyRoute[] = [...userRoutes, ...teamRoutes, ...memberRoutes, ...teamLimitRoutes];
