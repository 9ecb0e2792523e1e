import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { newServerId } from "../../core/ids.ts";
import type { Membership, Role, Team, User } from "../../core/people.ts";
import { aKey, aServer, epochMs } from "./drafts.ts";
import { expectProblem, makeServer, useStore, type OpenStore } from "./setup.ts";

function aUser(fields: Partial<User> = {}): User {
  const id = randomUUID();
  return {
    id,
    userName: `Name-${id}`,
    email: `Ana.${id}@corp.example`,
    name: "Ána ✓",
    issuer: null,
    subject: null,
    externalId: null,
    isOwner: false,
    isActive: true,
    createdAt: epochMs,
    lastSeenAt: null,
    ...fields,
  };
}

function aTeam(fields: Partial<Team> = {}): Team {
  const id = randomUUID();
  return { id, name: `Payments ${id}`, externalId: null, role: "tester", createdAt: epochMs, ...fields };
}

/** Users, teams and memberships, and what is removed with them. */
export function describePeople(open: OpenStore): void {
  const store = useStore(open);
  const addUser = async (fields: Partial<User> = {}): Promise<User> => {
    const user = aUser(fields);
    await store().people.addUser(user);
    return user;
  };
  const addTeam = async (fields: Partial<Team> = {}): Promise<Team> => {
    const team = aTeam(fields);
    await store().people.addTeam(team);
    return team;
  };
  const member = (user: User, team: Team, role: Role = "tester"): Membership => {
    return { user: user.id, team: team.id, role, source: "manual" };
  };

  test("finds a user by its id, address, name and identity, without regard to letter case", async () => {
    const { people } = store();
    const subject = randomUUID();
    const user = await addUser({
      issuer: "https://id.example",
      subject,
      externalId: "x",
      isOwner: true,
      lastSeenAt: 7,
    });
    const lookups = [
      { email: user.email.toUpperCase() },
      { userName: user.userName.toLowerCase() },
      { issuer: "https://id.example", subject },
    ];
    expect(await people.getUser(user.id)).toEqual(user);
    for (const by of lookups) expect(await people.findUser(by)).toEqual(user);
    expect(await people.findUser({ issuer: "https://id.example", subject: subject.toUpperCase() })).toBeUndefined();
    expect((await people.listUsers()).find(({ id }) => id === user.id)).toEqual(user);
  });

  test("rejects taken addresses, names and identities, also of changes", async () => {
    const { people } = store();
    const identity = { issuer: "https://id.example", subject: randomUUID() };
    const user = await addUser(identity);
    const other = await addUser();
    const taken = [{ email: user.email.toLowerCase() }, { userName: user.userName.toUpperCase() }, identity];
    for (const fields of taken) {
      await expectProblem(people.addUser(aUser(fields)), "conflict");
      await expectProblem(people.updateUser(other.id, fields), "conflict");
    }
    expect(await people.getUser(other.id)).toEqual(other);
    const change = { email: other.email.toUpperCase(), isActive: false, ...identity, subject: randomUUID() };
    expect(await people.updateUser(other.id, change)).toEqual({ ...other, ...change });
    expect(await people.getUser(other.id)).toEqual({ ...other, ...change });
    expect(await people.updateUser(randomUUID(), {})).toBeUndefined();
  });

  test("adds, changes and lists teams by name", async () => {
    const { people } = store();
    const [second, first] = [await addTeam({ name: `b${randomUUID()}` }), await addTeam({ name: `A${randomUUID()}` })];
    await expectProblem(people.addTeam(aTeam({ name: first.name.toLowerCase() })), "conflict");
    await expectProblem(people.updateTeam(second.id, { name: first.name.toUpperCase() }), "conflict");
    const listed = (await people.listTeams()).filter(({ id }) => id === first.id || id === second.id);
    expect(listed).toEqual([first, second]);
    const changed = { ...first, externalId: "group", role: "viewer" as const };
    expect(await people.updateTeam(first.id, { externalId: "group", role: "viewer" })).toEqual(changed);
    expect(await people.getTeam(first.id)).toEqual(changed);
    expect(await people.updateTeam(randomUUID(), {})).toBeUndefined();
  });

  test("puts and removes memberships, but none of missing users and teams", async () => {
    const { people } = store();
    const [user, team, other] = [await addUser(), await addTeam(), await addTeam()];
    const absent = [member(aUser(), team), member(user, aTeam())];
    await people.changeMemberships({ put: [member(user, team, "viewer"), member(user, other), ...absent] });
    await people.changeMemberships({ put: [member(user, team, "manager")], remove: [member(user, other)] });
    expect(await people.listMemberships({ user: user.id })).toEqual([member(user, team, "manager")]);
    expect(await people.listMemberships({ team: team.id })).toEqual([member(user, team, "manager")]);
    expect(await people.listMemberships()).toContainEqual(member(user, team, "manager"));
    const { email, name } = user;
    expect(await people.listMembers(team.id)).toEqual([{ ...member(user, team, "manager"), email, name }]);
    expect(await people.listMembers(other.id)).toEqual([]);
  });

  test("returns what the access of a user and of a team follows from", async () => {
    const { people } = store();
    const [user, team, other] = [await addUser(), await addTeam(), await addTeam()];
    await people.changeMemberships({ put: [member(user, team)] });
    const [own, foreign] = [await makeServer(store()), await makeServer(store())];
    await store().updateServer(own, { team: team.id });
    await store().updateServer(foreign, { team: other.id });
    const servers = [{ id: own, team: team.id }];
    expect(await people.findUserAccess(user.id)).toEqual({ user, memberships: [member(user, team)], servers });
    expect(await people.findTeamServers(team.id)).toEqual(servers);
    expect(await people.findTeamServers(randomUUID())).toBeUndefined();
    expect(await people.findUserAccess(randomUUID())).toBeUndefined();
  });

  test("removes memberships, keys and sign-ins with a user", async () => {
    const { people, signIns } = store();
    const [user, team] = [await addUser(), await addTeam()];
    await people.changeMemberships({ put: [member(user, team)] });
    const key = aKey({ owner: { kind: "user", id: user.id } });
    await store().addKey(key);
    expect(await store().findKey(key.hash)).toEqual(key);
    const name = randomUUID();
    await signIns.addSignIn({ name, kind: "session", keyHash: null, user: user.id, openedAt: epochMs }, 1000);
    expect(await signIns.findSignIn(name)).toMatchObject({ keyHash: null, user: user.id });
    expect(await people.removeUser(user.id)).toBe(true);
    expect(await people.removeUser(user.id)).toBe(false);
    expect(await store().findKey(key.hash)).toBeUndefined();
    expect(await signIns.findSignIn(name)).toBeUndefined();
    expect(await people.listMemberships({ team: team.id })).toEqual([]);
    await expectProblem(store().addKey(aKey({ owner: { kind: "user", id: user.id } })), "not_found");
  });

  test("removes the sign-ins of a user alone", async () => {
    const { signIns } = store();
    const names = [randomUUID(), randomUUID()] as const;
    const users = [await addUser(), await addUser()];
    for (const [at, user] of users.entries()) {
      const own = { name: names[at] ?? "", user: user.id, keyHash: null, openedAt: epochMs };
      await signIns.addSignIn({ ...own, kind: "session" }, 1000);
    }
    expect(await signIns.removeSignInsOfUser(users[0]?.id ?? "")).toBe(1);
    expect(await signIns.findSignIn(names[0])).toBeUndefined();
    expect(await signIns.findSignIn(names[1])).toBeDefined();
  });

  test("removes memberships and keys with a team, and frees its servers", async () => {
    const { people } = store();
    const [user, team] = [await addUser(), await addTeam()];
    await people.changeMemberships({ put: [member(user, team)] });
    const key = aKey({ owner: { kind: "team", id: team.id } });
    await store().addKey(key);
    expect(await store().findKey(key.hash)).toEqual(key);
    const id = newServerId();
    expect(await store().createServer(aServer({ id, team: team.id }))).toMatchObject({ team: team.id });
    expect(await store().getServer(id)).toMatchObject({ team: team.id });
    expect(await people.removeTeam(team.id)).toBe(true);
    expect(await people.removeTeam(team.id)).toBe(false);
    expect(await store().findKey(key.hash)).toBeUndefined();
    expect(await store().getServer(id)).toMatchObject({ team: null });
    expect(await people.listMemberships({ user: user.id })).toEqual([]);
    await expectProblem(store().updateServer(id, { team: team.id }), "not_found");
    await expectProblem(store().createServer(aServer({ id: newServerId(), team: team.id })), "not_found");
  });
}
