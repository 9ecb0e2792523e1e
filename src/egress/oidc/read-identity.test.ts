import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { IssuerSettings } from "../../core/issuer.ts";
import { groupCountMax, lacksClaims, readIdentity } from "./read-identity.ts";

const settings: IssuerSettings = {
  name: "default",
  label: "Corp",
  issuer: "https://login.corp.example",
  clientId: "restante",
  clientSecret: null,
  scopes: ["openid"],
  audiences: ["restante"],
  groupsClaim: null,
  accountGroups: [],
  domains: [],
  mayCreate: true,
};
const withDomains = { ...settings, domains: ["corp.example", "corp.test"] };
const groupsAt = (groupsClaim: string, claims: object): readonly string[] | undefined =>
  readIdentity({ ...settings, groupsClaim }, { sub: "1", ...claims }).groups;

test.each([[undefined], [""], ["x".repeat(321)], [5]])("an identity without a usable subject is refused: %j", (sub) => {
  expect(() => readIdentity(settings, { sub })).toThrow("names no subject");
});

describe("an address", () => {
  test.each([
    ["says so", true, true],
    ["says so as text, as Cognito does", "true", true],
    ["says that it is not", false, false],
    ["says something else", "yes", false],
    ["says nothing", undefined, false],
  ])("counts as verified when the issuer %s: %j %s", (_text, verified, isEmailVerified) => {
    const claims = { sub: "1", email: "ann@corp.example", email_verified: verified };
    expect(readIdentity(settings, claims)).toMatchObject({ email: "ann@corp.example", isEmailVerified });
  });

  test("counts as verified when its domain is allowed and the issuer says nothing", () => {
    for (const email of ["ann@corp.example", "ann@CORP.test"]) {
      expect(readIdentity(withDomains, { sub: "1", email })).toMatchObject({ email, isEmailVerified: true });
    }
  });

  test.each([
    [{ email: "ann@other.example", email_verified: true }, "the domain other.example may not sign in"],
    [{ email: "ann@sub.corp.example", email_verified: true }, "the domain sub.corp.example may not sign in"],
    [{ email: "ann@evil.example@x.example", email_verified: true }, "the domain x.example may not sign in"],
    [{ email: "ann@corp.example", email_verified: false }, "its e-mail address is not verified"],
    [{ email: ["ann@corp.example"] }, "it has no e-mail address"],
    [{ email: "corp.example", email_verified: false }, "its e-mail address is not verified"],
    [{}, "it has no e-mail address"],
  ])("is refused where domains are allowed: %j", (claims, reason) => {
    const read = (): unknown => readIdentity(withDomains, { sub: "1", ...claims });
    expect(read).toThrow(`This account may not sign in: ${reason}`);
  });
});

describe("groups", () => {
  test.each([
    ["groups", { groups: ["a", "b"] }, ["a", "b"]],
    ["groups", { groups: "a" }, ["a"]],
    ["groups", {}, []],
    ["groups", { groups: ["a", 1, null, "", ["b"], "x".repeat(321)] }, ["a"]],
    ["realm_access.roles", { realm_access: { roles: ["a"] } }, ["a"]],
    ["resource_access.restante.roles", { resource_access: { restante: { roles: ["a"] } } }, ["a"]],
    ["realm_access.roles", { realm_access: "roles" }, []],
    ["realm_access.roles", { "realm_access.roles": ["a"], realm_access: { roles: ["b"] } }, ["a"]],
    ["https://corp.example/groups", { "https://corp.example/groups": ["a"] }, ["a"]],
    ["constructor.name", {}, []],
    ["__proto__.groups", {}, []],
  ])("are read from the claim %s of %j", (claim, claims, groups) => {
    expect(groupsAt(claim, claims)).toEqual(groups);
  });

  test("are unknown when the issuer keeps them elsewhere, so that memberships stay", () => {
    const claims = { _claim_names: { groups: "src1" } };
    expect(groupsAt("groups", claims)).toBeUndefined();
    expect(groupsAt("groups", { ...claims, groups: ["a"] })).toEqual(["a"]);
    expect(groupsAt("groups", { _claim_names: { roles: "src1" } })).toEqual([]);
  });

  test(`are the first ${groupCountMax} of more`, () => {
    const all = Array.from({ length: groupCountMax + 1 }, (_, at) => `g${at}`);
    expect(groupsAt("groups", { groups: all.slice(1) })).toHaveLength(groupCountMax);
    expect(groupsAt("groups", { groups: all })).toEqual(all.slice(0, groupCountMax));
  });

  test("make their members owners of the account, and others not", () => {
    const own = { ...settings, groupsClaim: "groups", accountGroups: ["owners"] };
    expect(readIdentity(own, { sub: "1", groups: ["owners"] })).toMatchObject({ isOwner: true });
    expect(readIdentity(own, { sub: "1", groups: ["Owners"] })).toMatchObject({ isOwner: false });
    expect(readIdentity(own, { sub: "1", _claim_names: { groups: "s" } })).not.toHaveProperty("isOwner");
    expect(readIdentity({ ...own, accountGroups: [] }, { sub: "1", groups: ["owners"] })).not.toHaveProperty("isOwner");
  });
});

test("asks elsewhere for claims that a token lacks", () => {
  const own = { ...settings, groupsClaim: "realm.roles" };
  expect(lacksClaims(own, { email: "a@b.example" })).toBe(true);
  expect(lacksClaims(own, { realm: { roles: [] } })).toBe(true);
  expect(lacksClaims(own, { email: "a@b.example", realm: { roles: [] } })).toBe(false);
  expect(lacksClaims(settings, { email: "a@b.example" })).toBe(false);
});

test("reads any claims as texts of at most 320 characters, or refuses them as forbidden", () => {
  const paths = fc.constantFrom("groups", "a.b.c", "__proto__", "toString");
  const claims = fc.dictionary(fc.constantFrom("sub", "email", "name", "groups", "a", "_claim_names"), fc.jsonValue());
  fc.assert(
    fc.property(claims, paths, fc.boolean(), (given, groupsClaim, isLimited) => {
      const own = { ...(isLimited ? withDomains : settings), groupsClaim };
      let identity;
      try {
        identity = readIdentity(own, given);
      } catch (error) {
        expect(error).toMatchObject({ code: "forbidden" });
        return;
      }
      const { subject, email, name, groups = [] } = identity;
      const lengths = [subject, email ?? "", name, ...groups].map((text) => text.length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(320);
    }),
  );
});
