/** Contract of the part of the store that holds users, teams and memberships. */
import type {
  Membership,
  OwnedServer,
  Team,
  TeamChange,
  TeamMember,
  User,
  UserAccess,
  UserChange,
} from "../core/people.ts";
import type { ServerUsage } from "../core/server.ts";
import type { TeamLimits, TeamUse } from "../core/team-limits.ts";

/** Properties that a user is found by; letter case of e-mail addresses and user names is ignored. */
export type UserLookup =
  | { readonly email: string }
  | { readonly userName: string }
  | { readonly issuer: string; readonly subject: string };

/** Memberships to put and to remove together. */
export interface MembershipChange {
  /** Existing memberships get this role and source; those of missing users or teams are skipped. */
  readonly put?: readonly Membership[];
  readonly remove?: readonly Pick<Membership, "user" | "team">[];
}

/** Limits of teams. Every transaction that stores or sends messages of a team's servers applies them. */
export interface TeamLimitStore {
  /** Returns the limits of a team; none for a team that does not exist. */
  getTeamLimits(team: string): Promise<TeamLimits>;
  /** Returns the limits of the teams that have some, by the id of the team. */
  listTeamLimits(): Promise<ReadonlyMap<string, TeamLimits>>;
  /** Replaces the limits of a team, which are removed with it. Rejects with `not_found` without the team. */
  putTeamLimits(team: string, limits: TeamLimits): Promise<void>;
  /** Returns what counts against the limits of a team at an instant. */
  getTeamUse(team: string, now: number): Promise<TeamUse>;
  /** Returns what the servers of a team hold together, with their held messages. */
  measureTeam(team: string): Promise<ServerUsage>;
}

/** Users, teams and memberships. */
export interface PeopleStore {
  /** Adds a user. Rejects with `conflict` when its id, e-mail address, user name or identity is taken. */
  addUser(user: User): Promise<void>;
  getUser(id: string): Promise<User | undefined>;
  findUser(by: UserLookup): Promise<User | undefined>;
  /** Returns all users, by e-mail address. */
  listUsers(): Promise<readonly User[]>;
  /** Changes a user; undefined when there is none. Rejects with `conflict` as `addUser` does. */
  updateUser(id: string, change: UserChange): Promise<User | undefined>;
  /** Removes a user with its memberships, keys and sign-ins; returns false when there is no such user. */
  removeUser(id: string): Promise<boolean>;
  /** Adds a team. Rejects with `conflict` when its id or name is taken. */
  addTeam(team: Team): Promise<void>;
  getTeam(id: string): Promise<Team | undefined>;
  /** Returns all teams, by name. */
  listTeams(): Promise<readonly Team[]>;
  /** Changes a team; undefined when there is none. Rejects with `conflict` when the name is taken. */
  updateTeam(id: string, change: TeamChange): Promise<Team | undefined>;
  /** Removes a team with its memberships and keys; its servers then have no team. Returns false when there is no such team. */
  removeTeam(id: string): Promise<boolean>;
  /** Returns the memberships of a user or of a team; all without a filter. */
  listMemberships(of?: { readonly user?: string; readonly team?: string }): Promise<readonly Membership[]>;
  /** Returns the members of a team, by e-mail address. */
  listMembers(team: string): Promise<readonly TeamMember[]>;
  /** Puts and removes memberships in one transaction. */
  changeMemberships(change: MembershipChange): Promise<void>;
  /** Returns what the access of a user follows from; undefined when there is no such user. */
  findUserAccess(user: string): Promise<UserAccess | undefined>;
  /** Returns the servers of a team; undefined when there is no such team. */
  findTeamServers(team: string): Promise<readonly OwnedServer[] | undefined>;
}
