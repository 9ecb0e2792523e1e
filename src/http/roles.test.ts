/** Access of users by their role, on every route, and the end of access. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Access } from "../core/api-key.ts";
import type { Role, Team, TeamMember } from "../core/people.ts";
import { changeUser, describeCaller } from "../operations/people/users.ts";
import { openPrincipal } from "../operations/services/security/authenticate.ts";
import { hashKey } from "../operations/services/security/stored-secrets.ts";
import { covers } from "../operations/services/security/access.ts";
import { coversPrincipal, principalOfUser } from "../operations/services/security/principals.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../testing/http-test-server.test-aid.ts";
import { addTestTeam, addTestUser, type TestUser } from "../testing/people.test-aid.ts";
import { permissionOf, type KeyRoute } from "./route.ts";
import { routeTable } from "./route-table.ts";
import { createSessions } from "./web/sessions.ts";
import type { WireAuditEntry, WireKey, WireNewKey } from "./wire/account-schema.ts";

let api: HttpTestServer;
let own: TestServer;
let foreign: TestServer;
let team: Team;
let other: Team;
let users: Readonly<Record<Role | "owner", TestUser>>;
const status = async (line: string, key: string, body?: unknown): Promise<number> =>
  (await api.ask(line, { key, ...(body !== undefined && { body }) })).statusCode;

const open = async (): Promise<void> => {
  api = await openHttpTestServer();
  own = await api.addServer("own");
  foreign = await api.addServer("foreign");
  team = await addTestTeam(api, "Payments", own.id);
  other = await addTestTeam(api, "Shop", foreign.id);
  users = {
    viewer: await addTestUser(api, "viewer", { [team.id]: "viewer" }),
    tester: await addTestUser(api, "tester", { [team.id]: "tester" }),
    manager: await addTestUser(api, "manager", { [team.id]: "manager" }),
    owner: await addTestUser(api, "owner", "owner"),
  };
};

describe("the role of a user", () => {
  beforeAll(open);
  afterAll(async () => api[Symbol.asyncDispose]());

  const accessOf: Readonly<Record<Role, Access>> = { viewer: "read", tester: "test", manager: "full" };
  /** These end the server or the session of the test, or name no server. */
  const left = new Set(["DELETE /web/session", "POST /mcp"]);
  const routes = routeTable.filter((route): route is KeyRoute => {
    return route.access === "key" && !left.has(`${route.method} ${route.path}`) && !route.problems.includes("gone");
  });
  const takesServer = ({ query = [] }: KeyRoute): boolean => query.some(({ name }) => name === "server");
  const ofServer = routes.filter((route) => /^\/(?:api|web)\/servers?\//.test(route.path) || takesServer(route));

  test.each(["viewer", "tester", "manager"] as const)(
    "allows a %s what its access covers, on every route",
    async (role) => {
      const wrong: unknown[] = [];
      for (const route of ofServer) {
        const path = route.path.replace(":id", own.id).replaceAll(/:\w+/g, "x").replace("*", "x");
        const line = `${route.method} ${path}${takesServer(route) ? `?server=${own.id}` : ""}`;
        const code = await status(line, users[role].key, route.body === undefined ? undefined : {});
        if ((code === 403) === covers(accessOf[role], permissionOf(route))) wrong.push([line, code]);
      }
      expect([wrong, ofServer.length > 50]).toEqual([[], true]);
    },
  );

  test("gives no access to the account, except to owners", async () => {
    for (const line of ["GET /api/audit", "GET /api/status", "GET /api/devices", "GET /api/phone-numbers"]) {
      for (const role of ["viewer", "tester", "manager"] as const)
        expect(await status(line, users[role].key)).toBe(403);
      expect(await status(line, users.owner.key)).toBe(200);
    }
    for (const line of ["GET /api/users", "GET /api/teams"]) expect(await status(line, own.key)).toBe(403);
    expect(await status("GET /api/users", users.tester.key)).toBe(403);
    expect(await status("GET /api/users", users.manager.key)).toBe(200);
    expect(await status(`GET /api/users/${users.tester.id}`, users.tester.key)).toBe(200);
    expect(await status(`GET /api/users/${users.tester.id}/teams`, users.tester.key)).toBe(200);
    expect(await status(`GET /api/users/${users.viewer.id}/teams`, users.tester.key)).toBe(403);
    expect(await status(`GET /api/users/${users.viewer.id}/teams`, users.manager.key)).toBe(200);
    for (const path of ["users", "teams"]) {
      expect(await status(`POST /api/${path}`, users.manager.key, { name: "x", email: "x@corp.example" })).toBe(403);
    }
  });

  test("shows usage of the teams that it manages, and to others of none, in every form", async () => {
    const mixed = await addTestUser(api, "mixed", { [team.id]: "viewer", [other.id]: "manager" });
    const create = async (key: string, body: object): Promise<string> =>
      (await api.ask("POST /api/keys", { key, body })).json<WireNewKey>().key;
    const none = [users.viewer.key, users.tester.key, own.key, await create(users.manager.key, { team: team.id })];
    none.push(await create(users.manager.key, { scope: "read" }));
    const usage = routeTable.filter(({ path }) => /^\/api\/usage\/(?:teams|servers)/.test(path));
    expect(usage).toHaveLength(4);
    for (const { path } of usage) {
      const seen = async (key: string): Promise<readonly boolean[]> => {
        const { body } = await api.ask(`GET ${path}`, { key });
        return ["Payments", "Shop"].map((name) => body.includes(name));
      };
      const all = [await seen(users.manager.key), await seen(mixed.key), await seen(users.owner.key)];
      expect([path, all]).toEqual([
        path,
        [
          [true, false],
          [false, true],
          [true, true],
        ],
      ]);
      const codes = await Promise.all(none.map(async (key) => status(`GET ${path}`, key)));
      expect([path, codes]).toEqual([path, none.map(() => 403)]);
    }
  });

  test("shows a manager the roles of users in the teams that it manages alone", async () => {
    const both = await addTestUser(api, "seen", { [team.id]: "viewer", [other.id]: "manager" });
    const seen = async (key: string): Promise<readonly string[]> =>
      (await api.ask(`GET /api/users/${both.id}/teams`, { key })).json<{ team: string }[]>().map((one) => one.team);
    expect(await seen(users.manager.key)).toEqual([team.id]);
    expect((await seen(both.key)).toSorted()).toEqual([team.id, other.id].toSorted());
  });

  test("lists only servers and teams of its teams", async () => {
    const names = async (path: string, key: string): Promise<readonly string[]> =>
      (await api.ask(`GET ${path}`, { key })).json<{ name: string }[]>().map(({ name }) => name);
    expect(await names("/api/servers", users.viewer.key)).toEqual(["own"]);
    expect(await names("/api/servers", users.owner.key)).toEqual(["foreign", "own"]);
    expect(await names("/api/teams", users.viewer.key)).toEqual(["Payments"]);
    expect(await names("/api/teams", users.owner.key)).toEqual(["Payments", "Shop"]);
    const both = await addTestUser(api, "both", { [team.id]: "viewer", [other.id]: "tester" });
    expect(await names("/api/servers", both.key)).toEqual(["foreign", "own"]);
    expect(await status(`DELETE /api/messages?server=${own.id}`, both.key)).toBe(403);
    expect(await status(`DELETE /api/messages?server=${foreign.id}`, both.key)).toBe(204);
    expect((await api.ask("GET /api/search?q=x", { key: both.key })).statusCode).toBe(200);
    const none = await addTestUser(api, "none");
    expect(await names("/api/servers", none.key)).toEqual([]);
    expect(await status("DELETE /api/messages?server=x", none.key)).toBe(403);
  });

  test("shows the members of a team their names and addresses, those of no other team", async () => {
    const { viewer, tester } = users;
    const seen = await api.ask(`GET /api/teams/${team.id}/members`, { key: viewer.key });
    const { id, email, name } = tester;
    const member = { user: id, team: team.id, role: "tester", source: "manual", email, name };
    expect(seen.json<unknown[]>()).toContainEqual(member);
    expect(await status(`GET /api/teams/${other.id}/members`, viewer.key)).toBe(404);
    const codes = [];
    for (const limits of [{ scope: "send" }, { server: own.id }]) {
      const created = await api.ask("POST /api/keys", { key: tester.key, body: limits });
      codes.push(await status(`GET /api/teams/${team.id}/members`, created.json<WireNewKey>().key));
    }
    expect(codes).toEqual([403, 403]);
  });

  test("is that of the teams in the description of a session, no wider than its key", async () => {
    const describe = async (key: string) => {
      const principal = await openPrincipal(api.context, hashKey(api.context.secrets, key));
      if (principal === undefined) throw new Error("the key opens nothing");
      return describeCaller(api.context, principal);
    };
    const both = await addTestUser(api, "described", { [team.id]: "viewer", [other.id]: "manager" });
    const teams = [
      { id: team.id, name: "Payments", role: "viewer", access: "read" },
      { id: other.id, name: "Shop", role: "manager", access: "full" },
    ];
    const user = { id: both.id, email: both.email, name: "described", isWhole: true, teams };
    expect(await describe(both.key)).toEqual({ user, hasPeople: true });
    const limited = async (limits: object): Promise<unknown> => {
      const created = await api.ask("POST /api/keys", { key: both.key, body: limits });
      return (await describe(created.json<WireNewKey>().key)).user;
    };
    const accesses = (...access: readonly unknown[]) => ({
      isWhole: false,
      teams: access.map((one) => ({ access: one })),
    });
    expect(await limited({ scope: "read" })).toMatchObject(accesses("read", "read"));
    expect(await limited({ scope: "send" })).toMatchObject(accesses(null, "send"));
    expect(await limited({ server: foreign.id })).toMatchObject({ isWhole: false });
    expect(await describe(own.key)).toEqual({ user: null, hasPeople: false });
    expect(await describe(api.accountKey)).toEqual({ user: null, hasPeople: true });
    expect((await describe(users.owner.key)).user).toMatchObject({ isWhole: true, teams: [] });
  });

  test("uses the APIs of providers with a key of one server", async () => {
    const send = async (key: string): Promise<number> => {
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const line = "POST /2010-04-01/Accounts/AC1/Messages.json";
      return (await api.ask(line, { key, headers, body: "From=App&To=%2B15550100&Body=Hi" })).statusCode;
    };
    expect(await send(users.tester.key)).toBe(201);
    expect(await send(users.viewer.key)).toBe(401);
    const both = await addTestUser(api, "wide", { [team.id]: "tester", [other.id]: "tester" });
    expect(await send(both.key)).toBe(401);
  });
});

describe("keys of users and teams", () => {
  beforeEach(async () => {
    await open();
    return async () => api[Symbol.asyncDispose]();
  });
  const create = async (key: string, body: unknown): Promise<[number, WireNewKey]> => {
    const reply = await api.ask("POST /api/keys", { key, body });
    return [reply.statusCode, reply.json<WireNewKey>()];
  };

  test("belong to the user that creates them and cannot exceed it", async () => {
    const [code, viewing] = await create(users.viewer.key, { name: "mine" });
    expect([code, viewing]).toMatchObject([200, { user: users.viewer.id, team: null, server: null }]);
    expect(await status(`GET /api/messages?server=${own.id}`, viewing.key)).toBe(200);
    expect(await status(`DELETE /api/messages?server=${own.id}`, viewing.key)).toBe(403);
    expect(await status(`GET /api/messages?server=${foreign.id}`, viewing.key)).toBe(404);
    const [, sending] = await create(users.tester.key, { scope: "send", server: own.id });
    expect(await status(`POST /api/messages?server=${own.id}`, sending.key, {})).toBe(200);
    expect(await status(`GET /api/messages?server=${own.id}`, sending.key)).toBe(403);
    expect((await create(users.tester.key, { server: foreign.id }))[0]).toBe(404);
    expect((await create(users.tester.key, { team: team.id }))[0]).toBe(403);
    expect((await create(users.tester.key, { user: users.viewer.id }))[0]).toBe(403);
    for (const limited of [sending.key, own.key]) expect((await create(limited, {}))[0]).toBe(403);
    const [, reading] = await create(users.manager.key, { scope: "read" });
    expect((await create(reading.key, {}))[0]).toBe(403);
    expect(await status(`PUT /api/servers/${own.id}`, reading.key, { name: "x" })).toBe(403);
  });

  test("end with the owner of the account that creates them for everything, unlike those of the account and of a server", async () => {
    const { owner } = users;
    const [, whole] = await create(owner.key, {});
    const [, directory] = await create(owner.key, { scope: "scim" });
    expect([whole.user, directory.user]).toEqual([owner.id, owner.id]);
    const [, ofServer] = await create(owner.key, { server: own.id });
    const [, ofAccount] = await create(api.accountKey, {});
    expect([ofServer.user, ofAccount.user]).toEqual([null, null]);
    await changeUser(api.context, owner.id, { isOwner: false });
    expect(await status("GET /api/users", whole.key)).toBe(403);
    await changeUser(api.context, owner.id, { isActive: false });
    expect([await status("GET /api/servers", whole.key), await status("GET /scim/v2/Users", directory.key)]).toEqual([
      401, 401,
    ]);
    for (const { key } of [ofServer, ofAccount]) expect(await status("GET /api/servers", key)).toBe(200);
  });

  test("have the access of a tester to the servers of the team that owns them", async () => {
    const [code, shared] = await create(users.manager.key, { team: team.id });
    expect([code, shared]).toMatchObject([200, { user: null, team: team.id }]);
    expect(await status(`DELETE /api/messages?server=${own.id}`, shared.key)).toBe(204);
    expect(await status(`PUT /api/servers/${own.id}`, shared.key, { name: "x" })).toBe(403);
    expect(await status(`GET /api/messages?server=${foreign.id}`, shared.key)).toBe(404);
    expect((await create(users.manager.key, { team: other.id }))[0]).toBe(403);
    expect((await create(api.accountKey, { team: team.id, server: foreign.id }))[0]).toBe(400);
    expect((await create(api.accountKey, { team: team.id, user: users.viewer.id }))[0]).toBe(400);
    expect((await create(api.accountKey, { user: "nobody" }))[0]).toBe(400);
    await api.ask(`DELETE /api/teams/${team.id}`);
    expect(await status("GET /api/servers", shared.key)).toBe(401);
    expect(await status(`GET /api/messages?server=${own.id}`, users.manager.key)).toBe(404);
  });

  test("are listed and revoked by those who administer them", async () => {
    const [, mine] = await create(users.viewer.key, {});
    const listed = async (key: string): Promise<readonly string[]> =>
      (await api.ask("GET /api/keys", { key })).json<WireKey[]>().map(({ id }) => id);
    expect(await listed(users.viewer.key)).toContain(mine.id);
    for (const role of ["tester", "manager"] as const) expect(await listed(users[role].key)).not.toContain(mine.id);
    const ofServer = (await api.ask("GET /api/keys")).json<WireKey[]>().find(({ server }) => server === own.id);
    expect(await listed(users.manager.key)).toContain(ofServer?.id);
    expect(await listed(users.tester.key)).not.toContain(ofServer?.id);
    expect(await status(`DELETE /api/keys/${mine.id}`, users.manager.key)).toBe(404);
    expect(await status(`POST /api/keys/${mine.id}/rotate`, users.manager.key, {})).toBe(404);
    expect(await status(`DELETE /api/keys/${ofServer?.id ?? ""}`, users.manager.key)).toBe(204);
    expect(await status(`DELETE /api/keys/${mine.id}`, users.viewer.key)).toBe(204);
    expect(await status("GET /api/servers", mine.key)).toBe(401);
  });
});

describe("managers", () => {
  beforeEach(async () => {
    await open();
    return async () => api[Symbol.asyncDispose]();
  });

  test("create, change and delete servers of their team alone", async () => {
    const { key } = users.manager;
    expect(await status("POST /api/servers", key, { name: "x" })).toBe(403);
    expect(await status("POST /api/servers", key, { name: "x", team: other.id })).toBe(403);
    expect(await status("POST /api/servers", key, { name: "x", team: team.id, quota: { messages: 9 } })).toBe(403);
    expect(await status("POST /api/servers", users.tester.key, { name: "x", team: team.id })).toBe(403);
    const created = await api.ask("POST /api/servers", { key, body: { name: "new", team: team.id, withKey: true } });
    const server = created.json<{ id: string; team: string; key: string }>();
    expect(server).toMatchObject({ team: team.id });
    expect(await status(`GET /api/messages?server=${server.id}`, server.key)).toBe(200);
    expect(await status(`PUT /api/servers/${server.id}`, key, { team: other.id })).toBe(403);
    expect(await status(`PUT /api/servers/${server.id}`, key, { team: null })).toBe(403);
    expect(await status(`PUT /api/servers/${server.id}`, own.key, { team: null })).toBe(404);
    expect(await status(`PUT /api/servers/${own.id}`, own.key, { team: null })).toBe(403);
    expect(await status(`DELETE /api/servers/${server.id}`, users.tester.key)).toBe(403);
    expect(await status(`DELETE /api/servers/${server.id}`, key)).toBe(204);
    expect(await status(`DELETE /api/servers/${foreign.id}`, key)).toBe(404);
  });

  test("put users into their team alone, and remove them", async () => {
    const { key } = users.manager;
    const guest = await addTestUser(api, "guest");
    const path = (of: Team): string => `/api/teams/${of.id}/members/${guest.id}`;
    expect(await status(`PUT ${path(other)}`, key, { role: "viewer" })).toBe(403);
    expect(await status(`PUT ${path(team)}`, users.tester.key, { role: "manager" })).toBe(403);
    expect(await status(`PUT ${path(team)}`, key, { role: "boss" })).toBe(400);
    expect(await status(`PUT /api/teams/${team.id}/members/nobody`, key, { role: "viewer" })).toBe(404);
    expect(await status(`PUT ${path(team)}`, key, { role: "viewer" })).toBe(200);
    const members = await api.ask(`GET /api/teams/${team.id}/members`, { key: guest.key });
    expect(members.json<TeamMember[]>()).toContainEqual({
      email: guest.email,
      name: "guest",
      user: guest.id,
      team: team.id,
      role: "viewer",
      source: "manual",
    });
    expect(await status(`GET /api/teams/${other.id}/members`, key)).toBe(404);
    expect(await status(`GET /api/messages?server=${own.id}`, guest.key)).toBe(200);
    expect(await status(`DELETE ${path(team)}`, key)).toBe(204);
    expect(await status(`DELETE ${path(team)}`, key)).toBe(404);
    expect(await status(`GET /api/messages?server=${own.id}`, guest.key)).toBe(404);
  });
});

describe("leavers", () => {
  beforeEach(async () => {
    await open();
    return async () => api[Symbol.asyncDispose]();
  });

  test("lose their keys and sessions when they are deactivated, and return without their sessions", async () => {
    const sessions = createSessions(api.context);
    const { id, key } = users.tester;
    const secrets = await sessions.openForUser(id);
    const principal = await sessions.principalOf(secrets);
    expect(principal).toMatchObject({ keyId: `user:${id}`, user: { id, email: "tester@corp.example" } });
    const revoked: (string | null)[] = [];
    api.context.revocations.subscribe((one) => revoked.push(one));
    expect(await status(`PUT /api/users/${id}`, users.owner.key, { isActive: false })).toBe(200);
    expect(revoked).toEqual([null]);
    expect([await status("GET /api/servers", key), await sessions.principalOf(secrets)]).toEqual([401, undefined]);
    await changeUser(api.context, id, { isActive: true });
    expect([await status("GET /api/servers", key), await sessions.principalOf(secrets)]).toEqual([200, undefined]);
    expect(await status(`DELETE /api/users/${id}`, users.owner.key)).toBe(204);
    expect(await status("GET /api/servers", key)).toBe(401);
    expect(await principalOfUser(api.context, id)).toBeUndefined();
  });

  test("cannot lock themselves out", async () => {
    const { id, key } = users.owner;
    for (const change of [{ isActive: false }, { isOwner: false }]) {
      expect(await status(`PUT /api/users/${id}`, key, change)).toBe(409);
    }
    expect(await status(`DELETE /api/users/${id}`, key)).toBe(409);
  });

  test("keep a principal only while it covers what it was", async () => {
    const now = async (): Promise<Awaited<ReturnType<typeof principalOfUser>>> =>
      principalOfUser(api.context, users.tester.id);
    const before = await now();
    if (before === undefined) throw new Error("the user has no principal");
    const put = async (role: Role): Promise<unknown> =>
      api.ask(`PUT /api/teams/${team.id}/members/${users.tester.id}`, { body: { role } });
    expect(coversPrincipal(await now(), before)).toBe(true);
    await put("manager");
    expect(coversPrincipal(await now(), before)).toBe(true);
    await put("viewer");
    expect(coversPrincipal(await now(), before)).toBe(false);
    const owner = await principalOfUser(api.context, users.owner.id);
    expect([owner?.server, owner && coversPrincipal(owner, before)]).toEqual([null, true]);
    await changeUser(api.context, users.owner.id, { isOwner: false });
    expect(owner && coversPrincipal(await principalOfUser(api.context, users.owner.id), owner)).toBe(false);
  });

  test("stay in the audit log, which names the person and is filtered by it", async () => {
    const { id, key, email } = users.manager;
    await api.ask(`PUT /api/servers/${own.id}`, { key, body: { name: "renamed" } });
    await api.ask(`PUT /api/servers/${own.id}`, { body: { name: "again" } });
    await api.ask(`DELETE /api/users/${id}`);
    const read = async (query: string): Promise<readonly WireAuditEntry[]> =>
      (await api.ask(`GET /api/audit${query}`)).json();
    expect(await read(`?user=${id}`)).toMatchObject([{ action: "server.update", user: id, email, by: "key" }]);
    const all = await read("");
    expect(all.map(({ action, user }) => [action, user])).toEqual([
      ["user.delete", null],
      ["server.update", null],
      ["server.update", id],
    ]);
  });
});
