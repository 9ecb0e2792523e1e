/** Teams as groups of SCIM (RFC 7643 §4.2). */
import { invalidField } from "../../core/errors.ts";
import type { Membership, Team } from "../../core/people.ts";
import type { Context } from "../../operations/context.ts";
import { addTeam, changeMemberships, checkTeamRequest, removeTeam } from "../../operations/people/teams.ts";
import { orNotFound } from "../../operations/services/security/access.ts";
import { type AttributeChange, changesOfPatch, changesOfResource, memberOf, textOf, valuesOf } from "./attributes.ts";
import { groupSchemaId, type ResourceKind } from "./discovery.ts";

/** Resources of teams. */
export const groups: ResourceKind<Team> = {
  name: "Group",
  path: "Groups",
  actions: { create: "team.create", update: "team.update", delete: "team.delete" },
  list: async ({ store }) => store.people.listTeams(),
  get: async ({ store }, id) => store.people.getTeam(id),
  create: async (context, body) => {
    const changes = changesOfResource(body);
    const { name, externalId = null } = fieldsOf(changes);
    if (name === undefined) throw invalidField("displayName", "Groups need a displayName", "required");
    const members = await membersAfter(context, new Set(), changes);
    const team = await addTeam(context, { name, externalId });
    await setMembers(context, team, members);
    return team;
  },
  replace: async (context, id, body) => {
    const members = { kind: "replace", path: "members", selected: undefined, value: [] } as const;
    return await apply(context, id, [members, ...changesOfResource(body)]);
  },
  patch: async (context, id, body) => apply(context, id, changesOfPatch(body)),
  remove: async (context, id) => removeTeam(context, id),
  valuesOf: ({ id, name, externalId }) => {
    const values: Readonly<Record<string, string | null>> = { id, displayname: name, externalid: externalId };
    return (path) => (Object.hasOwn(values, path) ? [values[path] ?? null] : []);
  },
  toJson: async ({ store }, { id, name, externalId }) => {
    const members = await store.people.listMemberships({ team: id });
    return {
      schemas: [groupSchemaId],
      id,
      ...(externalId !== null && { externalId }),
      displayName: name,
      members: members.map(({ user }) => ({ value: user, type: "User" })),
    };
  },
};

async function apply(context: Context, id: string, changes: readonly AttributeChange[]): Promise<Team> {
  const { people } = context.store;
  orNotFound(await people.getTeam(id), "Team");
  const present = await people.listMemberships({ team: id });
  const members = await membersAfter(context, new Set(present.map(({ user }) => user)), changes);
  const team = orNotFound(await people.updateTeam(id, fieldsOf(changes)), "Team");
  await setMembers(context, team, members);
  return team;
}

function fieldsOf(changes: readonly AttributeChange[]): {
  readonly name?: string;
  readonly externalId?: string | null;
} {
  let fields: { name?: string; externalId?: string | null } = {};
  for (const { kind, path, value } of changes) {
    if (path === "externalid")
      fields = { ...fields, externalId: kind === "remove" ? null : (textOf(path, value) ?? null) };
    if (path !== "displayname") continue;
    const name = kind === "remove" ? undefined : textOf("displayName", value);
    if (name === undefined) throw invalidField("displayName", "Groups need a displayName", "required");
    fields = { ...fields, name };
  }
  checkTeamRequest(fields);
  return fields;
}

/** Returns the ids of the members after changes. Rejects with a 400 for users that do not exist. */
async function membersAfter(
  { store }: Context,
  present: ReadonlySet<string>,
  changes: readonly AttributeChange[],
): Promise<ReadonlySet<string>> {
  let members: ReadonlySet<string> = present;
  for (const change of changes) {
    if (change.path === "members" || change.path === "members.value") members = membersWith(members, change);
  }
  for (const id of members) {
    if (present.has(id) || (await store.people.getUser(id)) !== undefined) continue;
    throw invalidField("members", `There is no user ${id}`);
  }
  return members;
}

function membersWith(members: ReadonlySet<string>, { kind, selected, value }: AttributeChange): ReadonlySet<string> {
  if (selected !== undefined) {
    if (kind !== "remove" || selected?.member !== "value") {
      throw invalidField("path", 'Members are removed by [value eq "x"]; add and replace have no filter');
    }
    return members.difference(new Set([selected.value]));
  }
  const named = new Set(valuesOf("members", value).map(idOf));
  if (kind === "replace") return named;
  if (kind === "add") return members.union(named);
  return named.size === 0 ? new Set() : members.difference(named);
}

function idOf(member: Readonly<Record<string, unknown>>): string {
  const id = textOf("members", memberOf(member, "value"));
  if (id === undefined) throw invalidField("members", "Members need a value", "required");
  return id;
}

/** Puts new members into the team with its role, and removes the others; members that stay keep their role. */
async function setMembers(context: Context, { id: team, role }: Team, members: ReadonlySet<string>): Promise<void> {
  const present = await context.store.people.listMemberships({ team });
  const known = new Set(present.map(({ user }) => user));
  const put = [...members].flatMap((user): readonly Membership[] =>
    known.has(user) ? [] : [{ user, team, role, source: "scim" }],
  );
  const remove = present.filter(({ user }) => !members.has(user));
  if (put.length + remove.length > 0) await changeMemberships(context, { put, remove });
}
