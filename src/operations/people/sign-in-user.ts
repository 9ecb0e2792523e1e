/** Users of an OpenID provider: their first sign-in adds or links them, and each one updates the teams of their groups. */
import { Problem } from "../../core/errors.ts";
import type { IssuerIdentity } from "../../core/issuer.ts";
import type { Membership, User } from "../../core/people.ts";
import type { AccountContext } from "../context.ts";
import { changeMemberships } from "./teams.ts";
import { addUser, changeUser, readUserAddress } from "./users.ts";

/** Rules of an issuer for identities that no user has yet. */
export interface SignInRules {
  /** Whether they add users. */
  readonly mayCreate: boolean;
  /** Whether they take over users with their verified address, which an issuer of strangers must not. */
  readonly mayLink: boolean;
}

/**
 * Returns the active user of an identity: the linked one, else the one with its verified e-mail address that has no identity
 * yet, else a new one if `mayCreate`. Rejects with `forbidden` and the reason.
 */
export async function signInUser(
  context: AccountContext,
  identity: IssuerIdentity,
  { mayCreate, mayLink }: SignInRules,
): Promise<User> {
  const { issuer, subject } = identity;
  const known =
    (await context.store.people.findUser({ issuer, subject })) ?? (await findUnlinked(context, identity, mayLink));
  if (known === undefined && !mayCreate) throw refused("This account is not known here; ask an owner to add it");
  if (known?.isActive === false) throw refused("This account is deactivated");
  const seen = {
    issuer,
    subject,
    lastSeenAt: context.clock.now(),
    ...(identity.name !== "" && { name: identity.name.toWellFormed().slice(0, 200) }),
    ...(identity.isOwner !== undefined && { isOwner: identity.isOwner }),
  };
  const user =
    known === undefined
      ? await addUser(context, { ...seen, email: verifiedAddress(identity) })
      : await changeUser(context, known.id, seen);
  if (identity.groups !== undefined) await joinTeams(context, user.id, identity.groups);
  return user;
}

/**
 * Returns the user with the verified address of the identity. Rejects with `forbidden` when another identity has it, and when the
 * identity may not take it over.
 */
async function findUnlinked(
  { store }: AccountContext,
  identity: IssuerIdentity,
  mayLink: boolean,
): Promise<User | undefined> {
  if (identity.email === null || !identity.isEmailVerified) return undefined;
  const user = await store.people.findUser({ email: verifiedAddress(identity) });
  if (user !== undefined && user.subject !== null) {
    throw refused("The e-mail address of this account belongs to another identity");
  }
  if (user !== undefined && !mayLink) {
    throw refused("The e-mail address of this account belongs to a user, and the provider has no list of domains");
  }
  return user;
}

function verifiedAddress({ email, isEmailVerified }: IssuerIdentity): string {
  if (email === null || !isEmailVerified) throw refused("The provider confirms no e-mail address of this account");
  return readUserAddress(email);
}

/** Puts a user into the teams of its groups, and removes it from others that groups brought it into. */
async function joinTeams(context: AccountContext, user: string, groups: readonly string[]): Promise<void> {
  const { people } = context.store;
  const wanted = new Set(groups);
  const teams = (await people.listTeams()).filter(
    // Users who create groups in the directory choose their names; a team that has the id of a group goes by it alone.
    ({ name, externalId }) => wanted.has(externalId ?? name),
  );
  const own = await people.listMemberships({ user });
  const isWanted = (team: string): boolean => teams.some(({ id }) => id === team);
  const remove = own.filter(({ team, source }) => source === "oidc" && !isWanted(team));
  const put = teams.flatMap(({ id: team, role }): readonly Membership[] =>
    own.some((one) => one.team === team) ? [] : [{ user, team, role, source: "oidc" }],
  );
  if (remove.length + put.length > 0) await changeMemberships(context, { put, remove });
}

function refused(text: string): Problem {
  return new Problem("forbidden", { text });
}
