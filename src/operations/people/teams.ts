import { randomUUID } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { Problem, invalidField, notFound } from "../../core/errors.ts";
import type { Membership, Role, Team, TeamChange, TeamMember } from "../../core/people.ts";
import type { AccountContext } from "../context.ts";
import { orNotFound, requireAccount, requireManager } from "../services/security/access.ts";
import { checkAll } from "../../core/field-collector.ts";
import { type ValueOf, build, refer } from "../../core/schema.ts";
import { type TeamLimits, teamLimitNames, teamLimitsSchema, teamUseSchema } from "../../core/team-limits.ts";

/** Largest number of teams. */
const teamCountMax = 2000;
const nameLengthMax = 200;

/** Fields of a team; absent members of a change stay as they are. */
export interface TeamRequest {
  /** Required for a new team; unique without regard to letter case. */
  readonly name?: string;
  /** Id or name of the group in the directory or in the claim of groups. */
  readonly externalId?: string | null;
  /** Role of members that groups bring; `tester` by default. */
  readonly role?: Role;
}

/** Throws a 400 that names a wrong field. */
export function checkTeamRequest({ name }: TeamRequest): void {
  if (name === undefined) return;
  if (name.trim() === "") throw invalidField("name", "Teams need a name", "required");
  if (name.length > nameLengthMax) throw invalidField("name", `At most ${nameLengthMax} characters`, "too_long");
}

/** Returns the teams of the principal, by name: all for the account, those of which a user is a member. */
export async function listTeams({ store }: AccountContext, principal: Principal): Promise<readonly Team[]> {
  const teams = await store.people.listTeams();
  if (principal.server === null) return teams;
  const own = new Set(await ownTeams({ store }, principal));
  return teams.filter(({ id }) => own.has(id));
}

/** Returns a team of the principal. Rejects with `forbidden` and `not_found`. */
export async function getTeam(context: AccountContext, principal: Principal, id: string): Promise<Team> {
  const isOwn = principal.server === null || (await ownTeams(context, principal)).includes(id);
  return orNotFound(isOwn ? await context.store.people.getTeam(id) : undefined, "Team");
}

/** Returns the ids of the teams of a user. Throws `forbidden` for keys without one. */
async function ownTeams(
  { store }: Pick<AccountContext, "store">,
  { server, user }: Principal,
): Promise<readonly string[]> {
  if (user === undefined || typeof server === "string") throw new Problem("forbidden");
  return (await store.people.listMemberships({ user: user.id })).map(({ team }) => team);
}

/** Adds a team. Rejects with `forbidden`, with a 400, with `conflict` for a known name, with `limit_reached`. */
export async function createTeam(context: AccountContext, principal: Principal, request: TeamRequest): Promise<Team> {
  requireAccount(principal);
  if (request.name === undefined) throw invalidField("name", "Teams need a name", "required");
  checkTeamRequest(request);
  return await addTeam(context, { ...request, name: request.name });
}

/** Adds a team. Rejects with `conflict` and `limit_reached`. */
export async function addTeam(
  { store, clock }: AccountContext,
  { name, externalId = null, role = "tester" }: TeamRequest & Pick<Team, "name">,
): Promise<Team> {
  if ((await store.people.listTeams()).length >= teamCountMax) {
    throw new Problem("limit_reached", { text: `The limit of ${teamCountMax} teams is reached` });
  }
  const team = { id: randomUUID(), name: name.toWellFormed(), externalId, role, createdAt: clock.now() };
  await store.people.addTeam(team);
  return team;
}

/** Changes a team. Rejects with `forbidden`, `not_found`, with a 400, and with `conflict` for a known name. */
export async function updateTeam(
  { store }: AccountContext,
  principal: Principal,
  { id, change }: { readonly id: string; readonly change: TeamChange },
): Promise<Team> {
  requireAccount(principal);
  checkTeamRequest(change);
  return orNotFound(await store.people.updateTeam(id, change), "Team");
}

/** Removes a team with its keys; its servers then belong to no team. Rejects with `forbidden` and `not_found`. */
export async function deleteTeam(context: AccountContext, principal: Principal, id: string): Promise<void> {
  requireAccount(principal);
  await removeTeam(context, id);
}

/** Removes a team with its keys; its servers then belong to no team. Rejects with `not_found`. */
export async function removeTeam({ store, revocations }: AccountContext, id: string): Promise<void> {
  if (!(await store.people.removeTeam(id))) throw notFound("Team");
  revocations.publish(null);
}

/**
 * Returns the members of a team of the principal, by e-mail address. Members see name and address of each other, and nothing
 * else of users. Rejects with `forbidden` and `not_found`.
 */
export async function listMembers(
  context: AccountContext,
  principal: Principal,
  id: string,
): Promise<readonly TeamMember[]> {
  const { id: team } = await getTeam(context, principal, id);
  return await context.store.people.listMembers(team);
}

/**
 * Puts a user into a team, or changes its role there: a member whom a directory has brought still leaves with its group. Rejects
 * with `forbidden` and `not_found`.
 */
export async function putMember(
  context: AccountContext,
  principal: Principal,
  { team, user, role }: Pick<Membership, "team" | "user"> & { readonly role: Role | undefined },
): Promise<Membership> {
  requireManager(principal, team);
  if (role === undefined) throw invalidField("role", "Members need a role", "required");
  const { people } = context.store;
  orNotFound(await people.getTeam(team), "Team");
  orNotFound(await people.getUser(user), "User");
  const present = (await people.listMemberships({ user })).find((one) => one.team === team);
  const membership: Membership = { user, team, role, source: present?.source ?? "manual" };
  await changeMemberships(context, { put: [membership] });
  return membership;
}

/** Removes a user from a team. Rejects with `forbidden` and `not_found`. */
export async function removeMember(
  context: AccountContext,
  principal: Principal,
  { team, user }: Pick<Membership, "team" | "user">,
): Promise<void> {
  requireManager(principal, team);
  const members = await context.store.people.listMemberships({ team });
  if (!members.some((one) => one.user === user)) throw notFound("User");
  await changeMemberships(context, { remove: [{ team, user }] });
}

/** Puts and removes memberships, and ends what their users may not do any more. */
export async function changeMemberships(
  { store, revocations }: AccountContext,
  change: Parameters<AccountContext["store"]["people"]["changeMemberships"]>[0],
): Promise<void> {
  await store.people.changeMemberships(change);
  revocations.publish(null);
}

/** Schema of the limits of a team with what counts against them. */
export const teamLimitStateSchema = build.object(
  { limits: refer(teamLimitsSchema), use: refer(teamUseSchema) },
  { $id: "TeamLimitState" },
);

/** Limits of a team with what counts against them. */
type TeamLimitState = ValueOf<typeof teamLimitStateSchema>;

/** Returns the limits of a team of the principal. Rejects with `forbidden` and `not_found`. */
export async function getTeamLimits(
  context: AccountContext,
  principal: Principal,
  id: string,
): Promise<TeamLimitState> {
  await getTeam(context, principal, id);
  return await readState(context, id);
}

/** Throws a 400 that names every wrong field. */
export function checkTeamLimits(change: Partial<TeamLimits>): void {
  const checks = teamLimitNames.map((name) => () => {
    const value = change[name];
    const least = name === "outboundPerHourMax" ? 0 : 1;
    if (value === undefined || value === null || (Number.isSafeInteger(value) && value >= least)) return;
    throw invalidField(name, `A whole number of at least ${least}, or null`);
  });
  checkAll(...checks);
}

/** Changes limits of a team; absent members stay, null removes a limit. Rejects with `forbidden`, `not_found` and a 400. */
export async function updateTeamLimits(
  context: AccountContext,
  principal: Principal,
  { id, change }: { readonly id: string; readonly change: Partial<TeamLimits> },
): Promise<TeamLimitState> {
  requireAccount(principal);
  checkTeamLimits(change);
  const { people, teamLimits } = context.store;
  orNotFound(await people.getTeam(id), "Team");
  await teamLimits.putTeamLimits(id, { ...(await teamLimits.getTeamLimits(id)), ...change });
  return await readState(context, id);
}

async function readState({ store, clock }: AccountContext, id: string): Promise<TeamLimitState> {
  const { teamLimits } = store;
  return { limits: await teamLimits.getTeamLimits(id), use: await teamLimits.getTeamUse(id, clock.now()) };
}
