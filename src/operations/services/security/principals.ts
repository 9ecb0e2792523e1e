/** Principals of keys and users: the one place where roles become access. */
import type { Access, ApiKey, PlainPrincipal, Principal, TeamAccess } from "../../../core/api-key.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { Role, User, UserAccess } from "../../../core/people.ts";
import type { AccountContext } from "../../context.ts";
import { commonAccess, isWithin, narrowTo, serversOf, userKeyId } from "./access.ts";

/** Access to the servers of a team by the role in it. */
const accessOfRole: Readonly<Record<Role, Access>> = { viewer: "read", tester: "test", manager: "full" };
/** Access of a team's key. */
const accessOfTeam: Access = "test";

/** Returns the access of a member to the servers of its team, with a key of the scope or signed in; undefined for none. */
export function accessOfMember(role: Role, { scope = "full" }: Pick<Principal, "scope">): Access | undefined {
  return commonAccess(accessOfRole[role], scope);
}

/** Returns the principal of a user that has signed in; undefined for an inactive or unknown one. */
export async function principalOfUser({ store }: AccountContext, id: string): Promise<Principal | undefined> {
  const found = await store.people.findUserAccess(id);
  if (found === undefined || !found.user.isActive) return undefined;
  const { user } = found;
  return { ...ofUser(user), keyId: userKeyId(id), keyName: user.name || user.email, server: accessOf(found) };
}

/** Returns the principal of a key without an owner, which most requests have: it is built once. */
export function principalOfOpenKey({ id, name, server, scope }: ApiKey, expiresAt: number | null): PlainPrincipal {
  return { keyId: id, keyName: name, server, scope, expiresAt };
}

/** Returns the principal of a key with an owner; undefined when the owner has no access any more. */
export async function principalOfOwnedKey(
  context: AccountContext,
  key: ApiKey,
  expiresAt: number | null = key.expiresAt,
): Promise<Principal | undefined> {
  const access = key.owner && (await ownerAccess(context, key.owner));
  if (!access) return undefined;
  const principal = { ...principalOfOpenKey(key, expiresAt), ...access, server: within(access.server, key.scope) };
  return key.server === null ? principal : narrowTo(principal, key.server);
}

type OwnerAccess = Pick<Principal, "server" | "user">;

async function ownerAccess(
  { store: { people } }: AccountContext,
  { kind, id }: NonNullable<ApiKey["owner"]>,
): Promise<OwnerAccess | undefined> {
  if (kind === "user") {
    const found = await people.findUserAccess(id);
    return found?.user.isActive === true ? { ...ofUser(found.user), server: accessOf(found) } : undefined;
  }
  const servers = await people.findTeamServers(id);
  if (servers === undefined) return undefined;
  return { server: teamAccess(new Map(servers.map((server) => [server.id, accessOfTeam]))) };
}

function ofUser({ id, email }: User): Pick<Principal, "user"> {
  return { user: { id, email } };
}

function accessOf({ user, memberships, servers }: UserAccess): TeamAccess | null {
  if (user.isOwner) return null;
  const roles = new Map(memberships.map(({ team, role }) => [team, role]));
  const access = servers.map(({ id, team }) => [id, accessOfRole[roles.get(team) ?? "viewer"]] as const);
  return teamAccess(
    new Map(access),
    memberships.flatMap(({ team, role }) => (role === "manager" ? [team] : [])),
  );
}

/** Returns an access that covers nothing until a request is admitted: only the widest roles have `settings`. */
function teamAccess(servers: ReadonlyMap<ServerId, Access>, managed: readonly string[] = []): TeamAccess {
  return { servers, managed: new Set(managed), need: "settings" };
}

/** Returns the access that the scope of a key includes too. Only full keys manage teams. */
function within(server: Principal["server"], scope: Access): Principal["server"] {
  if (server === null || typeof server === "string" || scope === "full") return server;
  const servers = [...server.servers].flatMap(([id, access]) => {
    const common = commonAccess(access, scope);
    return common === undefined ? [] : [[id, common] as const];
  });
  return teamAccess(new Map(servers));
}

/** Returns whether a principal still has every access that it had before; callers whose access shrinks are ended. */
export function coversPrincipal(now: Principal | undefined, before: Principal): boolean {
  if (now === undefined) return false;
  const servers = serversOf(before);
  if (servers === null) return now.server === null;
  return servers.every((server) => {
    const [present, former] = [narrowTo(now, server), narrowTo(before, server)];
    return present !== undefined && isWithin(former?.scope ?? "full", present.scope ?? "full");
  });
}
