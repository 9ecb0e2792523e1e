/** Users and teams for tests of access. */
import type { Role, Team, User } from "../core/people.ts";
import type { ServerId } from "../core/ids.ts";
import { addKey, newSecret } from "../operations/keys/keys.ts";
import { addTeam, changeMemberships } from "../operations/people/teams.ts";
import { addUser } from "../operations/people/users.ts";
import type { HttpTestServer } from "./http-test-server.test-aid.ts";

type Service = Pick<HttpTestServer, "context">;

/** User with a key of its own, which has all of its rights. */
export interface TestUser extends User {
  readonly key: string;
}

/** Adds a team that owns a server. */
export async function addTestTeam({ context }: Service, name: string, server: ServerId): Promise<Team> {
  const team = await addTeam(context, { name });
  await context.store.updateServer(server, { team: team.id });
  return team;
}

/** Adds a user; `roles` are by the id of the team. */
export async function addTestUser(
  { context }: Service,
  name: string,
  roles: Readonly<Record<string, Role>> | "owner" = {},
): Promise<TestUser> {
  const user = await addUser(context, { email: `${name}@corp.example`, name, isOwner: roles === "owner" });
  const put = Object.entries(roles === "owner" ? {} : roles).map(
    ([team, role]) => ({ user: user.id, team, role, source: "manual" }) as const,
  );
  await changeMemberships(context, { put });
  const owner = { kind: "user", id: user.id } as const;
  const { secret } = await addKey(context, { secret: newSecret(), name: `of ${name}`, server: null, owner });
  return { ...user, key: secret };
}
