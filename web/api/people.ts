/** Users, teams and memberships. */
import type { UseMutationResult, UseQueryResult } from "@tanstack/react-query";
import type { Member, Role, Team, TeamMember, TeamRequest, User, UserUpdate } from "../wire.ts";
import { request } from "./client.ts";
import { queryKeys } from "./query-keys.ts";
import { useSession } from "./session.ts";
import { usePut, usePost, useDelete, useInvalidatingMutation, useItems } from "./use-requests.ts";

// The session itself, servers and keys depend on users and teams.
const everything = [] as const;

/** Loads the users, by e-mail address; for sessions that manage a team or everything. */
export function useUsers(isEnabled = true): UseQueryResult<readonly User[]> {
  return useItems<User>(queryKeys.users, "/api/users", { enabled: isEnabled });
}

/** Loads the teams of the session, by name. */
export function useTeams(isEnabled = true): UseQueryResult<readonly Team[]> {
  return useItems<Team>(queryKeys.teams, "/api/teams", { enabled: isEnabled });
}

/** Team by its id and name. */
export type NamedTeam = Pick<Team, "id" | "name">;

/** Returns the teams to which the session may give servers and keys: all for the account, those that its user manages. */
export function useOwningTeams(): readonly NamedTeam[] {
  const { data: session } = useSession();
  const isOfAll = session?.isAccount === true && session.hasPeople;
  const { data: teams = [] } = useTeams(isOfAll);
  return isOfAll ? teams : (session?.user?.teams.filter(({ access }) => access === "full") ?? []);
}

/** Loads the memberships of a user. */
export function useTeamsOfUser(user: string): UseQueryResult<readonly Member[]> {
  return useItems<Member>(queryKeys.teamsOfUser(user), `/api/users/${user}/teams`);
}

/** Loads the members of a team. */
export function useMembers(team: string): UseQueryResult<readonly TeamMember[]> {
  return useItems<TeamMember>(queryKeys.members(team), `/api/teams/${team}/members`);
}

/** Adds a user. */
export function useCreateUser(): UseMutationResult<User, Error, UserUpdate> {
  return usePost(everything, "/api/users");
}

/** Changes a user. */
export function useUpdateUser(id: string): UseMutationResult<User, Error, UserUpdate> {
  return usePut(everything, `/api/users/${id}`);
}

/** Adds a team. */
export function useCreateTeam(): UseMutationResult<Team, Error, TeamRequest> {
  return usePost(everything, "/api/teams");
}

/** Changes a team. */
export function useUpdateTeam(id: string): UseMutationResult<Team, Error, TeamRequest> {
  return usePut(everything, `/api/teams/${id}`);
}

/** Removes a user or a team, by its path. */
export function useRemovePath(): UseMutationResult<void, Error, string> {
  return useDelete(everything, (path) => path);
}

/** Membership to put; a role of null removes it. */
export interface MembershipChange {
  readonly team: string;
  readonly user: string;
  readonly role: Role | null;
}

/** Puts a user into a team, changes its role there, or removes it. */
export function useChangeMembership(): UseMutationResult<void, Error, MembershipChange> {
  return useInvalidatingMutation(everything, async ({ team, user, role }) => {
    const change = role === null ? { method: "DELETE" as const } : { method: "PUT" as const, body: { role } };
    await request(`/api/teams/${team}/members/${user}`, change);
  });
}
