import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changeUser } from "../../operations/people/users.ts";
import { openHttpTestServer, type HttpTestServer, type Reply } from "../../testing/http-test-server.test-aid.ts";
import { addTestTeam, addTestUser } from "../../testing/people.test-aid.ts";
import { routeTable } from "../route-table.ts";
import type { WireNewKey } from "../wire/account-schema.ts";
import { readFilter } from "./filter.ts";

type Json = Record<string, unknown>;
const listId = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
const errorId = "urn:ietf:params:scim:api:messages:2.0:Error";
const patchId = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

let api: HttpTestServer;
let key: string;
let created = 0;
beforeAll(async () => {
  api = await openHttpTestServer();
  key = (await api.ask("POST /api/keys", { body: { scope: "scim" } })).json<WireNewKey>().key;
});
afterAll(async () => api[Symbol.asyncDispose]());

const ask = async (line: string, body?: unknown, own: string | null = key): Promise<Reply> => {
  const headers = {
    ...(own !== null && { authorization: `Bearer ${own}` }),
    ...(body !== undefined && { "content-type": "application/scim+json" }),
  };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  return api.ask(line.replace(" /", " /scim/v2/"), { key: null, headers, ...text });
};
const addUser = async (more: Json = {}): Promise<Json & { id: string; userName: string }> => {
  created += 1;
  const body = { userName: `u${created}@corp.example`, displayName: `User ${created}`, ...more };
  const reply = await ask("POST /Users", body);
  expect(reply.statusCode).toBe(201);
  return reply.json();
};
const addGroup = async (more: Json = {}): Promise<Json & { id: string; displayName: string }> => {
  created += 1;
  const reply = await ask("POST /Groups", { displayName: `Group ${created}`, ...more });
  expect(reply.statusCode).toBe(201);
  return reply.json();
};
const patch = async (path: string, ...operations: readonly Json[]): Promise<Reply> =>
  ask(`PATCH ${path}`, { schemas: [patchId], Operations: operations });
const membersOf = async (group: string): Promise<readonly string[]> =>
  (await ask(`GET /Groups/${group}`)).json<{ members: { value: string }[] }>().members.map(({ value }) => value);

describe("authentication", () => {
  test("accepts keys with the scope scim and account keys, and no other key", async () => {
    const { key: server } = await api.addServer();
    const reader = (await api.ask("POST /api/keys", { body: { scope: "read" } })).json<WireNewKey>().key;
    const codes = async (own: string | null): Promise<number> => (await ask("GET /Users", undefined, own)).statusCode;
    expect([await codes(key), await codes(api.accountKey)]).toEqual([200, 200]);
    expect([await codes(server), await codes(reader), await codes("wrong"), await codes(null)]).toEqual([
      403, 403, 401, 401,
    ]);
    const refused = await ask("GET /Users", undefined, "wrong");
    expect([refused.headers["content-type"], refused.json()]).toMatchObject([
      "application/scim+json",
      { schemas: [errorId], status: "401" },
    ]);
  });

  test("gives a key of SCIM no other access", async () => {
    const keyed = routeTable.filter(({ access }) => access === "key" || access === "account");
    const open: string[] = [];
    for (const { method, path } of keyed) {
      const reply = await api.ask(`${method} ${path.replaceAll(/:\w+/g, "x").replace("*", "x")}`, { key });
      if (reply.statusCode !== 403) open.push(path);
    }
    expect(open).toEqual([]);
    expect((await api.ask("POST /api/keys", { body: { scope: "scim", server: "abcd1234" } })).statusCode).toBe(400);
  });
});

describe("users", () => {
  test("are created as Okta sends them, found, and returned", async () => {
    const user = await addUser({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      userName: "Anna@corp.example",
      name: { givenName: "Anna", familyName: "Ñandú" },
      displayName: undefined,
      emails: [{ primary: true, value: "Anna.N@corp.example", type: "work" }],
      externalId: "00u1",
      locale: "en-US",
      active: true,
    });
    expect(user).toMatchObject({
      userName: "Anna@corp.example",
      displayName: "Anna Ñandú",
      emails: [{ value: "Anna.N@corp.example", primary: true }],
      externalId: "00u1",
      active: true,
      meta: { resourceType: "User", location: expect.stringMatching(/\/scim\/v2\/Users\//) as string },
    });
    expect((await ask(`GET /Users/${user.id}`)).json()).toEqual(user);
    const found = await ask(`GET /Users?filter=${encodeURIComponent('userName eq "ANNA@corp.example"')}`);
    expect(found.json()).toMatchObject({ schemas: [listId], totalResults: 1, Resources: [{ id: user.id }] });
    const taken = await ask("POST /Users", { userName: "anna@CORP.example" });
    expect([taken.statusCode, taken.json()]).toMatchObject([
      409,
      { schemas: [errorId], status: "409", scimType: "uniqueness" },
    ]);
  });

  test.each([
    ["no name", {}, "userName"],
    ["a name that is no address", { userName: "anna" }, "email"],
    ["a wrong address", { userName: "anna", emails: [{ value: "x" }] }, "email"],
    ["a wrong type", { userName: 5 }, "userName"],
    ["no boolean", { userName: "b@corp.example", active: "perhaps" }, "active"],
  ])("are rejected with %s", async (_name, body, field) => {
    const reply = await ask("POST /Users", body);
    expect([reply.statusCode, reply.json()]).toMatchObject([
      400,
      { scimType: "invalidValue", detail: expect.stringContaining(field) as string },
    ]);
  });

  test("are changed in the dialects of Entra and Okta", async () => {
    const { id, userName } = await addUser();
    const shown = async (reply: Reply): Promise<Json> => {
      expect(reply.statusCode).toBe(200);
      return reply.json<Json>();
    };
    const entra = await patch(
      `/Users/${id}`,
      { op: "Replace", path: "active", value: "False" },
      { op: "Add", path: 'emails[type eq "work"].value', value: "new@corp.example" },
      { op: "Replace", path: "urn:ietf:params:scim:schemas:core:2.0:User:displayName", value: "Entra" },
      { op: "Add", path: "title", value: "ignored" },
      { op: "Add", path: "isOwner", value: true },
      { op: "Add", path: "constructor", value: { isOwner: true } },
    );
    expect(await shown(entra)).toMatchObject({
      active: false,
      displayName: "Entra",
      emails: [{ value: "new@corp.example" }],
    });
    expect((await api.ask(`GET /api/users/${id}`)).json()).toMatchObject({ isOwner: false });
    const okta = await patch(`/Users/${id}`, {
      op: "replace",
      value: { active: true, "name.givenName": "A", "name.familyName": "B" },
    });
    expect(await shown(okta)).toMatchObject({ active: true, displayName: "A B", userName });
    const removed = await patch(
      `/Users/${id}`,
      { op: "remove", path: "displayName" },
      { op: "add", path: "externalId", value: "e" },
    );
    expect(await shown(removed)).toMatchObject({ displayName: "", externalId: "e" });
    const put = await ask(`PUT /Users/${id}`, { userName, name: { formatted: "Put" } });
    expect(await shown(put)).toMatchObject({ displayName: "Put", active: true });
    expect((await shown(put))["externalId"]).toBeUndefined();
  });

  test.each([
    [{}, 400],
    [{ Operations: [] }, 400],
    [{ Operations: [{ op: "move", path: "active" }] }, 400],
    [{ Operations: [{ op: "remove" }] }, 400],
    [{ Operations: ["x"] }, 400],
    [{ Operations: [{ op: "remove", path: "userName" }] }, 400],
  ])("reject the patch %j", async (body, code) => {
    const { id } = await addUser();
    expect((await ask(`PATCH /Users/${id}`, body)).statusCode).toBe(code);
    expect(
      (await ask("PATCH /Users/nobody", { Operations: [{ op: "add", path: "active", value: true }] })).statusCode,
    ).toBe(404);
  });

  test("are listed in pages, and with the attributes that are asked for", async () => {
    for (let count = 0; count < 3; count += 1) await addUser();
    const page = async (query: string): Promise<{ totalResults: number; startIndex: number; Resources: Json[] }> =>
      (await ask(`GET /Users?${query}`)).json();
    const all = await page("");
    const second = await page("startIndex=2&count=1");
    expect(second).toMatchObject({ totalResults: all.totalResults, startIndex: 2, Resources: [all.Resources[1]] });
    expect((await page("count=0")).Resources).toEqual([]);
    expect((await page("startIndex=0&count=-1")).Resources).toEqual([]);
    expect(Object.keys((await page("count=1&attributes=userName")).Resources[0] ?? {})).toEqual([
      "schemas",
      "id",
      "userName",
    ]);
    expect((await page("count=1&excludedAttributes=groups,meta")).Resources[0]).not.toHaveProperty("groups");
  });
});

describe("an attacker with a key of SCIM, or a mistaken directory,", () => {
  test("changes no address but that of the sign-in, by filters of other addresses", async () => {
    const { id, userName } = await addUser();
    const filters = ['type eq "home"', "primary eq false", 'type eq "home" or type eq "work"', 'value co "corp"'];
    for (const filter of filters) {
      const path = `emails[${filter}].value`;
      const reply = await patch(`/Users/${id}`, { op: "replace", path, value: "attacker@outside.example" });
      expect(reply.json()).toMatchObject({ emails: [{ value: userName }] });
    }
    const path = "emails[primary eq true].value";
    const reply = await patch(`/Users/${id}`, { op: "replace", path, value: "primary@corp.example" });
    expect(reply.json()).toMatchObject({ emails: [{ value: "primary@corp.example" }] });
  });

  test("does not activate a user when a request leaves `active` out", async () => {
    const { id, userName } = await addUser({ active: false });
    const isActive = async (): Promise<unknown> => (await ask(`GET /Users/${id}`)).json<Json>()["active"];
    expect((await ask(`PUT /Users/${id}`, { userName })).statusCode).toBe(200);
    expect((await patch(`/Users/${id}`, { op: "remove", path: "active" })).statusCode).toBe(400);
    expect((await patch(`/Users/${id}`, { op: "replace", path: "active" })).statusCode).toBe(400);
    expect(await isActive()).toBe(false);
    await ask(`PUT /Users/${id}`, { userName, active: true });
    expect(await isActive()).toBe(true);
  });

  test("does not change the address of an owner who has not signed in yet", async () => {
    const owner = await addTestUser(api, "new-owner", "owner");
    const emails = [{ value: "attacker@outside.example", primary: true }];
    const path = `/Users/${owner.id}`;
    const refused = [
      await patch(path, { op: "replace", value: { emails } }),
      await ask(`PUT ${path}`, { userName: owner.userName, emails, active: true }),
    ];
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([403, 403]);
    expect((await patch(path, { op: "replace", path: "displayName", value: "Boss" })).statusCode).toBe(200);
    await changeUser(api.context, owner.id, { issuer: "https://login.corp.example", subject: "owner" });
    expect((await patch(path, { op: "replace", value: { emails } })).statusCode).toBe(200);
  });

  test.each([
    { op: "remove", path: 'members[type eq "User"]' },
    { op: "remove", path: 'members[value eq "x" or value eq "y"]' },
    { op: "replace", path: 'members[value eq "x"]', value: [{ value: "y" }] },
    { op: "add", path: 'members[value eq "x"]', value: [{ value: "y" }] },
  ])("removes no member by %j", async (operation) => {
    const [one, two] = [await addUser(), await addUser()];
    const group = await addGroup({ members: [{ value: one.id }, { value: two.id }] });
    expect((await patch(`/Groups/${group.id}`, operation)).statusCode).toBe(400);
    expect(await membersOf(group.id)).toHaveLength(2);
  });
});

describe("groups", () => {
  test("are teams, whose members get the role of the team", async () => {
    const [one, two, three] = [await addUser(), await addUser(), await addUser()];
    const group = await addGroup({ externalId: "g1", members: [{ value: one.id }] });
    expect(group).toMatchObject({ externalId: "g1", members: [{ value: one.id, type: "User" }] });
    await api.ask(`PUT /api/teams/${group.id}/members/${one.id}`, { body: { role: "manager" } });
    await patch(`/Groups/${group.id}`, { op: "Add", path: "members", value: [{ value: two.id }, { value: three.id }] });
    await patch(`/Groups/${group.id}`, { op: "Remove", path: `members[value eq "${two.id}"]` });
    await patch(`/Groups/${group.id}`, { op: "Remove", path: "members", value: [{ value: three.id }] });
    expect(await membersOf(group.id)).toEqual([one.id]);
    await patch(`/Groups/${group.id}`, { op: "replace", value: { id: group.id, displayName: "Renamed" } });
    const put = await ask(`PUT /Groups/${group.id}`, {
      displayName: "Renamed",
      members: [{ value: one.id }, { value: two.id }],
    });
    expect([put.statusCode, (await membersOf(group.id)).toSorted()]).toEqual([200, [one.id, two.id].toSorted()]);
    const members = (await api.ask(`GET /api/teams/${group.id}/members`)).json<
      { user: string; role: string; source: string }[]
    >();
    expect(Object.fromEntries(members.map(({ user, role, source }) => [user, [role, source]]))).toEqual({
      [one.id]: ["manager", "scim"],
      [two.id]: ["tester", "scim"],
    });
    const filter = encodeURIComponent('displayName eq "renamed" and (externalId eq "g2" or id eq "x")');
    expect((await ask(`GET /Groups?filter=${filter}`)).json()).toMatchObject({ totalResults: 0 });
    expect(
      (await ask(`GET /Groups?excludedAttributes=members`)).json<{ Resources: Json[] }>().Resources[0],
    ).not.toHaveProperty("members");
    expect((await ask(`GET /Users/${two.id}`)).json()).toMatchObject({
      groups: [{ value: group.id, display: "Renamed" }],
    });
    expect(
      (await patch(`/Groups/${group.id}`, { op: "add", path: "members", value: [{ value: "nobody" }] })).statusCode,
    ).toBe(400);
    expect((await ask("POST /Groups", { displayName: "RENAMED" })).statusCode).toBe(409);
    expect((await ask(`DELETE /Groups/${group.id}`)).statusCode).toBe(204);
    expect((await ask(`GET /Groups/${group.id}`)).statusCode).toBe(404);
  });
});

describe("a leaver", () => {
  test("loses its access when the directory deactivates it, which the audit log records", async () => {
    const server = await api.addServer();
    const team = await addTestTeam(api, "Leavers", server.id);
    const { id } = await addUser();
    await patch(`/Groups/${team.id}`, { op: "add", path: "members", value: [{ value: id }] });
    const own = (await api.ask("POST /api/keys", { body: { user: id } })).json<WireNewKey>().key;
    const code = async (): Promise<number> =>
      (await api.ask(`GET /api/messages?server=${server.id}`, { key: own })).statusCode;
    expect(await code()).toBe(200);
    const ended: unknown[] = [];
    const stop = api.context.revocations.subscribe((one) => ended.push(one));
    await patch(`/Users/${id}`, { op: "replace", value: { active: false } });
    stop();
    expect([ended, await code()]).toEqual([[null], 401]);
    await patch(`/Users/${id}`, { op: "replace", value: { active: true } });
    await ask(`PUT /Groups/${team.id}`, { displayName: "Leavers", members: [] });
    expect(await code()).toBe(404);
    expect((await ask(`DELETE /Users/${id}`)).statusCode).toBe(204);
    expect(await code()).toBe(401);
    const actions = (await api.ask("GET /api/audit?itemsPerPage=4")).json<{ action: string; target: string }[]>();
    expect(actions.map(({ action, target }) => [action, target])).toEqual([
      ["user.delete", id],
      ["team.update", team.id],
      ["user.update", id],
      ["user.update", id],
    ]);
  });
});

describe("discovery", () => {
  test("describes what is supported", async () => {
    expect((await ask("GET /ServiceProviderConfig")).json()).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
    });
    expect((await ask("GET /ResourceTypes")).json()).toMatchObject({ totalResults: 2 });
    const schema = "urn:ietf:params:scim:schemas:core:2.0:User";
    expect((await ask(`GET /Schemas/${schema}`)).json()).toMatchObject({ id: schema });
    expect((await ask("GET /Schemas")).json()).toMatchObject({ Resources: [{ id: schema }, {}] });
  });
});

describe("filters", () => {
  const values = (path: string) => ({ username: ["Ana"], active: [true], externalid: [null] })[path] ?? [];

  test.each([
    ['userName eq "ana"', true],
    ['userName Eq "x" OR active eq true', true],
    ['userName eq "ana" and active eq false', false],
    ['(userName eq "x" or active eq true) and userName eq "ANA"', true],
    ["externalId eq null", true],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ana"', true],
    ['title eq "x"', false],
  ])("%s is %s", (text, expected) => {
    expect(readFilter(text)(values)).toBe(expected);
  });

  test.each([
    "",
    "userName",
    'userName co "a"',
    'userName eq "a',
    'userName eq "a" userName',
    '(userName eq "a"',
    "userName eq 5",
    "userName eq constructor",
    `${"(".repeat(30)}userName eq "a"${")".repeat(30)}`,
    `userName eq "${"a".repeat(2000)}"`,
  ])("%j is rejected", async (text) => {
    expect(() => readFilter(text)).toThrow("");
    if (text === "") return;
    const reply = await ask(`GET /Users?filter=${encodeURIComponent(text)}`);
    expect([reply.statusCode, reply.json()]).toMatchObject([400, { scimType: "invalidFilter" }]);
  });
});
