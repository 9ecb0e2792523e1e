/** Schemas of users, teams and memberships. */
import { build, orNull, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";
import { type Membership, roles, type Team, type TeamMember, type User } from "../../core/people.ts";
import { emailAddress } from "../../core/text-schemas.ts";
import type { TeamRequest } from "../../operations/people/teams.ts";
import type { UserRequest, UserUpdate } from "../../operations/people/users.ts";

const instant = build.string({ format: "date-time" });
const name = build.string({ maxLength: 200, description: "Name to show; may be empty." });
const userName = build.string({ pattern: "\\S", maxLength: 200, description: "Name of the user in its directory." });
const isOwner = build.boolean("Whether the user owns the account, and may do what a full account key may.");
const isActive = build.boolean("Inactive users and their keys have no access.");

/** Schema of a user. */
export const userSchema = build.object(
  {
    id: build.string({ format: "uuid", description: "Id of the user." }),
    email: build.string("E-mail address."),
    userName,
    name,
    issuer: orNull(build.string("Issuer of the identity with which the user signs in; null before the first sign-in.")),
    externalId: orNull(build.string("Id in the directory that provisions the user by SCIM.")),
    isOwner,
    isActive,
    createdAt: instant,
    lastSeen: orNull(build.string({ format: "date-time", description: "Last sign-in; null before the first." })),
  },
  { $id: "User" },
);

/** JSON of a user. */
export type WireUser = ValueOf<typeof userSchema>;

/** Returns a user in its JSON form. */
export function toWireUser({ createdAt, lastSeenAt, subject: _subject, ...user }: User): WireUser {
  return {
    ...user,
    createdAt: new Date(createdAt).toISOString(),
    lastSeen: lastSeenAt === null ? null : new Date(lastSeenAt).toISOString(),
  };
}

const userMembers = { email: emailAddress("One plain address."), userName, name, isOwner };

/** Request body that adds a user. */
export const userRequestSchema: WireSchema<UserRequest> = schemaOf<UserRequest>()(build.partial(userMembers));

/** Request body that changes a user. */
export const userUpdateSchema: WireSchema<UserUpdate> = schemaOf<UserUpdate>()(
  build.partial({ ...userMembers, isActive }),
);

const role = build.enum(
  roles,
  "`viewer`: reads. `tester`: everything with messages, not the settings of servers. `manager`: also settings, servers, keys and members of the team.",
);
const externalId = orNull(build.string({ maxLength: 1000, description: "Id or name of the group in the directory." }));
const groupRole = build.enum(roles, "Role of members that a directory or the groups of a sign-in add.");

/** Schema of a team. */
export const teamSchema = build.object(
  {
    id: build.string({ format: "uuid", description: "Id of the team." }),
    name: build.string("Name of the team."),
    externalId,
    role: groupRole,
    createdAt: instant,
  },
  { $id: "Team" },
);

/** JSON of a team. */
export type WireTeam = ValueOf<typeof teamSchema>;

/** Returns a team in its JSON form. */
export function toWireTeam({ createdAt, ...team }: Team): WireTeam {
  return { ...team, createdAt: new Date(createdAt).toISOString() };
}

/** Request body that adds or changes a team. */
export const teamRequestSchema: WireSchema<TeamRequest> = schemaOf<TeamRequest>()(
  build.partial({
    name: build.string({ pattern: "\\S", maxLength: 200, description: "Name of the team." }),
    externalId,
    role: groupRole,
  }),
);

const membershipMembers = {
  user: build.string("Id of the user."),
  team: build.string("Id of the team."),
  role,
  source: build.enum(["manual", "scim", "oidc"], "Origin: an administrator, SCIM, or the groups of a sign-in."),
};

/** Schema of a membership. */
export const memberSchema: WireSchema<Membership> = schemaOf<Membership>()(
  build.object(membershipMembers, { $id: "Member" }),
);

/** Schema of a member of a team, as other members see it. */
export const teamMemberSchema: WireSchema<TeamMember> = schemaOf<TeamMember>()(
  build.object(
    {
      ...membershipMembers,
      email: build.string("E-mail address of the user."),
      name: build.string("Name of the user; may be empty."),
    },
    { $id: "TeamMember" },
  ),
);

/** Request body that puts a user into a team. */
export const memberRequestSchema = build.partial({ role });
