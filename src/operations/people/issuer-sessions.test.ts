import { afterAll, beforeAll, expect, test } from "vitest";
import type { IssuerIdentity } from "../../core/issuer.ts";
import { openHttpTestServer, type HttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import { addTestUser } from "../../testing/people.test-aid.ts";
import { signInUser, type SignInRules } from "./issuer-sessions.ts";
import { addTeam, listMembers, putMember } from "./teams.ts";

const account = { keyId: "test", server: null };
const issuer = "https://login.corp.example";
const rules: SignInRules = { mayCreate: true, mayLink: true };

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

let count = 0;
const identity = (more: Partial<IssuerIdentity> = {}): IssuerIdentity => {
  count += 1;
  const email = `u${String(count)}@corp.example`;
  return { issuer, subject: `s${String(count)}`, email, isEmailVerified: true, name: "", ...more };
};
const teamsOf = async (user: string): Promise<readonly string[]> =>
  (await api.context.store.people.listMemberships({ user })).map(({ team }) => team);

test("takes a user over with its verified address only by an issuer that may link, and says why not", async () => {
  const { email, id } = await addTestUser(api, "boss", "owner");
  const stranger = identity({ email, issuer: "https://anyone.example" });
  const refused = signInUser(api.context, stranger, { ...rules, mayLink: false });
  await expect(refused).rejects.toMatchObject({ code: "forbidden" });
  await expect(refused).rejects.toThrow("has no list of domains");
  await expect(signInUser(api.context, { ...stranger, isEmailVerified: false }, rules)).rejects.toThrow("confirms no");
  expect(await signInUser(api.context, { ...stranger, issuer }, rules)).toMatchObject({ id, isOwner: true, issuer });
  await expect(signInUser(api.context, stranger, rules)).rejects.toThrow("belongs to another identity");
});

test("adds no user to a team with the id of one group when another group has the name of the team", async () => {
  const named = await addTeam(api.context, { name: "Named" });
  const known = await addTeam(api.context, { name: "Known", externalId: "g-1" });
  const user = await signInUser(api.context, identity({ groups: ["Known"] }), rules);
  expect(await teamsOf(user.id)).toEqual([]);
  const member = await signInUser(api.context, identity({ groups: ["Named", "g-1"] }), rules);
  expect((await teamsOf(member.id)).toSorted()).toEqual([named.id, known.id].toSorted());
});

test("removes a member with its group also after its role was changed, by itself for example", async () => {
  const team = await addTeam(api.context, { name: "Leads" });
  const own = identity({ groups: ["Leads"] });
  const user = await signInUser(api.context, own, rules);
  await putMember(api.context, account, { team: team.id, user: user.id, role: "manager" });
  expect(await listMembers(api.context, account, team.id)).toMatchObject([{ role: "manager", source: "oidc" }]);
  await signInUser(api.context, { ...own, groups: [] }, rules);
  expect(await teamsOf(user.id)).toEqual([]);
});
