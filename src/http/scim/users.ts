/** Users as resources of SCIM (RFC 7643 §4.1). */
import { invalidField, Problem } from "../../core/errors.ts";
import type { Team, User, UserChange } from "../../core/people.ts";
import type { Context } from "../../operations/context.ts";
import { addUser, changeUser, readUserAddress, removeUser } from "../../operations/people/users.ts";
import { orNotFound } from "../../operations/services/security/access.ts";
import {
  type AttributeChange,
  booleanOf,
  changesOfPatch,
  changesOfResource,
  memberOf,
  textOf,
  valuesOf,
  type ValueFilter,
} from "./attributes.ts";
import type { AttributeValues } from "./filter.ts";
import { type ResourceKind, userSchemaId } from "./discovery.ts";

/** Resources of users. */
export const users: ResourceKind<User> = {
  name: "User",
  path: "Users",
  actions: { create: "user.create", update: "user.update", delete: "user.delete" },
  list: async ({ store }) => store.people.listUsers(),
  get: async ({ store }, id) => store.people.getUser(id),
  create: async (context, body) => {
    const { email, userName = email, ...change } = changeOf(changesOfResource(body));
    if (userName === undefined) throw invalidField("userName", "Users need a userName", "required");
    return await addUser(context, { ...change, userName, email: email ?? readUserAddress(userName) });
  },
  replace: async (context, id, body) => {
    // A request without `active` does not change the state of a user, so it never reactivates a leaver.
    return await apply(context, id, { name: "", externalId: null, ...changeOf(changesOfResource(body)) });
  },
  patch: async (context, id, body) => apply(context, id, changeOf(changesOfPatch(body))),
  remove: async (context, id) => removeUser(context, id),
  valuesOf: userValues,
  toJson: async ({ store }, user) => {
    const memberships = await store.people.listMemberships({ user: user.id });
    const teams = await Promise.all(memberships.map(async ({ team }) => store.people.getTeam(team)));
    return toJson(
      user,
      teams.filter((team) => team !== undefined),
    );
  },
};

/**
 * Changes a user. Rejects with `forbidden` for another address of an owner who has not signed in at an issuer yet: a person with that
 * address there would own the account by a key that may provision users only.
 */
async function apply(context: Context, id: string, change: UserChange): Promise<User> {
  const user = orNotFound(await context.store.people.getUser(id), "User");
  const isMoved = change.email !== undefined && change.email.toLowerCase() !== user.email.toLowerCase();
  if (isMoved && user.isOwner && user.subject === null) {
    throw new Problem("forbidden", {
      text: "The address of an owner who has not signed in yet changes by the API only",
    });
  }
  return await changeUser(context, id, change);
}

/** Changes by the path of their attribute; the value is undefined when the attribute is removed. */
const readers = new Map<string, (value: unknown) => UserChange>([
  ["active", (value) => ({ isActive: booleanOf("active", value) })],
  ["externalid", (value) => ({ externalId: textOf("externalId", value) ?? null })],
  ["username", (value) => ({ userName: requireText("userName", value) })],
  ["emails", emailOf],
  ["emails.value", emailOf],
]);

/** Returns the change of a user that attributes make; attributes that are not kept are ignored (RFC 7644 §3.5.1). */
function changeOf(changes: readonly AttributeChange[]): UserChange {
  const parts = new Map<string, string | undefined>();
  let change: UserChange = {};
  for (const { kind, path, selected, value } of changes) {
    if (selected !== undefined && !isOfSignIn(selected)) continue;
    const given = kind === "remove" ? undefined : value;
    if (path === "displayname" || path.startsWith("name.")) parts.set(path, textOf(path, given));
    else change = { ...change, ...readers.get(path)?.(given) };
  }
  return { ...change, ...nameOf(parts) };
}

/** Returns whether a filter selects the address with which users sign in: the primary one, which is that at work. */
function isOfSignIn(selected: ValueFilter | null): boolean {
  const { member, value } = selected ?? {};
  return (member === "type" && value === "work") || (member === "primary" && value === "true");
}

/** Returns the name that parts make; none when they are not enough for one. */
function nameOf(parts: ReadonlyMap<string, string | undefined>): Pick<UserChange, "name"> {
  const name = parts.get("name.formatted") ?? parts.get("displayname") ?? joinedName(parts);
  if (name !== undefined) return { name: name.slice(0, 200) };
  return parts.has("displayname") || parts.has("name.formatted") ? { name: "" } : {};
}

function joinedName(parts: ReadonlyMap<string, string | undefined>): string | undefined {
  const [given, family] = [parts.get("name.givenname"), parts.get("name.familyname")];
  return given === undefined || family === undefined ? undefined : `${given} ${family}`;
}

function requireText(field: string, value: unknown): string {
  const text = textOf(field, value);
  if (text === undefined) throw invalidField(field, "Must not be empty", "required");
  return text;
}

/** Returns the primary address, else the first one. */
function emailOf(value: unknown): Pick<UserChange, "email"> {
  const emails = valuesOf("emails", value);
  const chosen = emails.find((one) => memberOf(one, "primary") === true) ?? emails[0];
  if (chosen === undefined) return {};
  return { email: readUserAddress(requireText("emails", memberOf(chosen, "value"))) };
}

function userValues(user: User): AttributeValues {
  const values: Readonly<Record<string, string | boolean | null>> = {
    id: user.id,
    username: user.userName,
    externalid: user.externalId,
    displayname: user.name,
    "name.formatted": user.name,
    emails: user.email,
    "emails.value": user.email,
    active: user.isActive,
  };
  return (path) => (Object.hasOwn(values, path) ? [values[path] ?? null] : []);
}

function toJson(user: User, teams: readonly Team[]): Readonly<Record<string, unknown>> {
  return {
    schemas: [userSchemaId],
    id: user.id,
    ...(user.externalId !== null && { externalId: user.externalId }),
    userName: user.userName,
    displayName: user.name,
    name: { formatted: user.name },
    emails: [{ value: user.email, type: "work", primary: true }],
    active: user.isActive,
    groups: teams.map(({ id, name }) => ({ value: id, display: name })),
  };
}
