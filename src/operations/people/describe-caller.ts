/** Description of the caller of a session for the web UI, which shows the person and leaves out what its roles do not include. */
import type { Access, Principal } from "../../core/api-key.ts";
import type { Role, Team } from "../../core/people.ts";
import type { AccountContext } from "../context.ts";
import { accessOfMember } from "../services/security/principals.ts";

/** User of a session. */
export interface SessionUser {
  readonly id: string;
  readonly email: string;
  /** May be empty. */
  readonly name: string;
  /** Whether the session has all rights of its user, such as to create keys of its own: not with a restricted key. */
  readonly isWhole: boolean;
  /** Teams of the user, by name. */
  readonly teams: readonly SessionTeam[];
}

/** Team of the user of a session. */
export interface SessionTeam extends Pick<Team, "id" | "name"> {
  readonly role: Role;
  /** Access of the session to the servers of the team; null for none. */
  readonly access: Access | null;
}

/** Users and teams that concern a caller. */
export interface CallerPeople {
  /** Null for keys without a user. */
  readonly user: SessionUser | null;
  /** Whether there are users or teams; false for restricted keys without a user. */
  readonly hasPeople: boolean;
}

/** Returns the user of a caller with its teams, and whether the account has users or teams. */
export async function describeCaller({ store }: AccountContext, principal: Principal): Promise<CallerPeople> {
  const { people } = store;
  const { user, server, scope = "full" } = principal;
  if (user === undefined) {
    // Most instances have neither.
    const hasPeople = async (): Promise<boolean> =>
      (await people.listTeams()).length > 0 || (await people.listUsers()).length > 0;
    return { user: null, hasPeople: server === null && (await hasPeople()) };
  }
  const [known, teams, memberships] = await Promise.all([
    people.getUser(user.id),
    people.listTeams(),
    people.listMemberships({ user: user.id }),
  ]);
  const roles = new Map(memberships.map(({ team, role }) => [team, role]));
  const own = teams.flatMap(({ id, name }): readonly SessionTeam[] => {
    const role = roles.get(id);
    return role === undefined ? [] : [{ id, name, role, access: accessOfMember(role, principal) ?? null }];
  });
  const isWhole = scope === "full" && typeof server !== "string";
  return { user: { ...user, name: known?.name ?? "", isWhole, teams: own }, hasPeople: true };
}
