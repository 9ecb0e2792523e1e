import { randomUUID } from "node:crypto";
import type { Principal, Access } from "../../core/api-key.ts";
import { invalidField, notFound, Problem } from "../../core/errors.ts";
import { checkAll } from "../../core/field-collector.ts";
import type { Membership, User, UserChange, Role, Team } from "../../core/people.ts";
import { parseSingleAddress } from "../../egress/policy.ts";
import type { AccountContext } from "../context.ts";
import { orNotFound, requireAccount, requireAnyManager } from "../services/security/access.ts";
import { accessOfMember } from "../services/security/principals.ts";

/** Largest number of users; a directory that provisions more is probably misconfigured. */
const userCountMax = 20_000;
const nameLengthMax = 200;

/** Fields of a new user. */
export interface UserRequest {
  /** Required; unique without regard to letter case. */
  readonly email?: string;
  /** Name of the user in its directory; the e-mail address by default. */
  readonly userName?: string;
  readonly name?: string;
  readonly isOwner?: boolean;
}

/** Changes to a user; absent members stay as they are. */
export interface UserUpdate extends UserRequest {
  /** Inactive users and their keys lose access at once. */
  readonly isActive?: boolean;
}

/** Throws a 400 that names every wrong field. */
export function checkUserRequest({ email, userName, name }: UserRequest): void {
  checkAll(
    () => (email === undefined ? undefined : readUserAddress(email)),
    () => checkName("userName", userName, 1),
    () => checkName("name", name, 0),
  );
}

function checkName(field: string, name: string | undefined, lengthMin: number): void {
  if (name === undefined) return;
  if (name.trim().length < lengthMin) throw invalidField(field, "Must not be empty", "required");
  if (name.length > nameLengthMax) throw invalidField(field, `At most ${nameLengthMax} characters`, "too_long");
}

/** Returns the normalised e-mail address of a user. Throws a 400 on `email`. */
export function readUserAddress(text: string): string {
  const parsed = parseSingleAddress(text);
  if ("problem" in parsed) throw invalidField("email", "Must be one plain e-mail address", "invalid_address");
  return parsed.address;
}

/** Returns all users, by e-mail address. Rejects with `forbidden` unless the principal manages a team or everything. */
export async function listUsers({ store }: AccountContext, principal: Principal): Promise<readonly User[]> {
  requireAnyManager(principal);
  return await store.people.listUsers();
}

/** Returns a user; users may see themselves. Rejects with `forbidden` and `not_found`. */
export async function getUser({ store }: AccountContext, principal: Principal, id: string): Promise<User> {
  if (principal.user?.id !== id) requireAnyManager(principal);
  return orNotFound(await store.people.getUser(id), "User");
}

/** Returns the memberships of a user: all to itself and the account, to managers those in their teams. Rejects with `forbidden` and `not_found`. */
export async function listTeamsOfUser(
  context: AccountContext,
  principal: Principal,
  id: string,
): Promise<readonly Membership[]> {
  const { id: user } = await getUser(context, principal, id);
  const memberships = await context.store.people.listMemberships({ user });
  const { server } = principal;
  if (server === null || typeof server === "string" || principal.user?.id === user) return memberships;
  return memberships.filter(({ team }) => server.managed.has(team));
}

/** Adds an active user. Rejects with `forbidden`, with a 400, with `conflict` for a known address, with `limit_reached`. */
export async function createUser(context: AccountContext, principal: Principal, request: UserRequest): Promise<User> {
  requireAccount(principal);
  if (request.email === undefined) throw invalidField("email", "Users need an e-mail address", "required");
  checkUserRequest(request);
  const email = readUserAddress(request.email);
  return await addUser(context, { ...request, email });
}

/** Adds an active user with the given members. Rejects with `conflict` and `limit_reached`. */
export async function addUser(
  { store, clock }: AccountContext,
  given: Pick<User, "email"> & Partial<Omit<User, "id" | "createdAt">>,
): Promise<User> {
  if ((await store.people.listUsers()).length >= userCountMax) {
    throw new Problem("limit_reached", { text: `The limit of ${userCountMax} users is reached` });
  }
  const user: User = {
    userName: given.email,
    name: "",
    issuer: null,
    subject: null,
    externalId: null,
    isOwner: false,
    isActive: true,
    lastSeenAt: null,
    ...given,
    id: randomUUID(),
    createdAt: clock.now(),
  };
  await store.people.addUser(user);
  return user;
}

/**
 * Changes a user. Rejects with `forbidden`, `not_found`, with a 400, and with `conflict` for a known address and for the
 * user of the request, who would lock itself out.
 */
export async function updateUser(
  context: AccountContext,
  principal: Principal,
  { id, change }: { readonly id: string; readonly change: UserUpdate },
): Promise<User> {
  requireAccount(principal);
  checkUserRequest(change);
  if (id === principal.user?.id && (change.isActive === false || change.isOwner === false)) throw ownEnd();
  const { email, ...others } = change;
  return await changeUser(context, id, { ...others, ...(email !== undefined && { email: readUserAddress(email) }) });
}

/** Changes a user and ends what it may not do any more. Rejects with `not_found` and `conflict`. */
export async function changeUser(context: AccountContext, id: string, change: UserChange): Promise<User> {
  const { people, signIns } = context.store;
  const user = orNotFound(await people.updateUser(id, change), "User");
  if (change.isActive === false) await signIns.removeSignInsOfUser(id);
  if (change.isActive === false || change.isOwner === false) context.revocations.publish(null);
  return user;
}

/** Removes a user with its memberships, keys and sessions. Rejects with `forbidden`, `not_found`, and `conflict` for itself. */
export async function deleteUser(context: AccountContext, principal: Principal, id: string): Promise<void> {
  requireAccount(principal);
  if (id === principal.user?.id) throw ownEnd();
  await removeUser(context, id);
}

/** Removes a user with its memberships, keys and sessions. Rejects with `not_found`. */
export async function removeUser({ store, revocations }: AccountContext, id: string): Promise<void> {
  if (!(await store.people.removeUser(id))) throw notFound("User");
  revocations.publish(null);
}

function ownEnd(): Problem {
  return new Problem("conflict", { text: "Users cannot end their own access; another owner can" });
}

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
interface SessionTeam extends Pick<Team, "id" | "name"> {
  readonly role: Role;
  /** Access of the session to the servers of the team; null for none. */
  readonly access: Access | null;
}

/** Users and teams that concern a caller. */
interface CallerPeople {
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
