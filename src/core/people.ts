/** Users of an instance, their teams, and what roles allow. An instance without users has none of these. */
import type { ServerId } from "./ids.ts";

/**
 * Role of a user in a team, on the servers of the team.
 * - `viewer`: what a key of scope `read` may do.
 * - `tester`: everything with messages, as a full key of a server; not the settings of the server.
 * - `manager`: also settings, servers, keys and members of the team.
 */
export type Role = "viewer" | "tester" | "manager";

/** All roles, narrowest first. */
export const roles: readonly Role[] = ["viewer", "tester", "manager"];

/** Person with an access of its own. */
export interface User {
  readonly id: string;
  /** Unique without regard to letter case, as `email` is; the same as `email` unless a directory has another. */
  readonly userName: string;
  readonly email: string;
  /** Name to show; may be empty. */
  readonly name: string;
  /** Identity at an OpenID provider; null before the first sign-in there. Both or neither. */
  readonly issuer: string | null;
  readonly subject: string | null;
  /** Id in the directory that provisions the user by SCIM. */
  readonly externalId: string | null;
  /** Whether the user owns the account: it may do what a full account key may. */
  readonly isOwner: boolean;
  /** Inactive users and their keys have no access. */
  readonly isActive: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Instant of the last sign-in; null before the first. */
  readonly lastSeenAt: number | null;
}

/** Changes to a user; absent members stay as they are. */
export type UserChange = Partial<Omit<User, "id" | "createdAt">>;

/** Group of users that owns servers. */
export interface Team {
  readonly id: string;
  /** Unique without regard to letter case. */
  readonly name: string;
  /** Id of the group in the directory that provisions the team by SCIM, or in the claim of groups. */
  readonly externalId: string | null;
  /** Role of members that a directory or a claim of groups adds. */
  readonly role: Role;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Changes to a team; absent members stay as they are. */
export type TeamChange = Partial<Omit<Team, "id" | "createdAt">>;

/** Origins of a membership: an administrator, SCIM, or the groups of a sign-in. */
export const membershipSources = ["manual", "scim", "oidc"] as const;

/** Origin of a membership. */
export type MembershipSource = (typeof membershipSources)[number];

/** User in a team. */
export interface Membership {
  readonly user: string;
  readonly team: string;
  readonly role: Role;
  readonly source: MembershipSource;
}

/** Member of a team as the other members see it. */
export interface TeamMember extends Membership, Pick<User, "email" | "name"> {}

/** Records from which the access of a user follows. */
export interface UserAccess {
  readonly user: User;
  readonly memberships: readonly Membership[];
  /** Servers of the user's teams. */
  readonly servers: readonly OwnedServer[];
}

/** Server of a team. */
export interface OwnedServer {
  readonly id: ServerId;
  readonly team: string;
}

/** Owner of a key, whose access the key cannot exceed. */
export interface KeyOwner {
  readonly kind: "user" | "team";
  readonly id: string;
}
