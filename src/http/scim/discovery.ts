/** Kinds of resources of SCIM, and the documents by which clients learn what the service supports (RFC 7643 §5 to §7). */
import type { AuditAction } from "../../core/audit-entry.ts";
import type { Context } from "../../operations/context.ts";
import type { AttributeValues } from "./filter.ts";

/** Schema ids of SCIM 2.0 (RFC 7643 §10.3, RFC 7644 §8). */
export const userSchemaId = "urn:ietf:params:scim:schemas:core:2.0:User";
/** Schema id of groups. */
export const groupSchemaId = "urn:ietf:params:scim:schemas:core:2.0:Group";

/** Kind of resources, as records of the service. */
export interface ResourceKind<Item extends { readonly id: string }> {
  readonly name: "User" | "Group";
  /** Path below `/scim/v2`. */
  readonly path: "Users" | "Groups";
  /** Actions in the audit log. */
  readonly actions: Readonly<Record<"create" | "update" | "delete", AuditAction>>;
  readonly list: (context: Context) => Promise<readonly Item[]>;
  readonly get: (context: Context, id: string) => Promise<Item | undefined>;
  readonly create: (context: Context, body: unknown) => Promise<Item>;
  readonly replace: (context: Context, id: string, body: unknown) => Promise<Item>;
  readonly patch: (context: Context, id: string, body: unknown) => Promise<Item>;
  readonly remove: (context: Context, id: string) => Promise<void>;
  /** Returns the values that filters compare. */
  readonly valuesOf: (item: Item) => AttributeValues;
  /** Returns the resource without `meta`. */
  readonly toJson: (context: Context, item: Item) => Promise<Readonly<Record<string, unknown>>>;
}

/** Attribute of a schema. */
interface Attribute {
  readonly name: string;
  readonly type?: "string" | "boolean" | "complex";
  readonly isRequired?: true;
  readonly isMultiValued?: true;
  readonly isReadOnly?: true;
  readonly subAttributes?: readonly Attribute[];
}

function attribute({ name, type = "string", subAttributes, ...is }: Attribute): Readonly<Record<string, unknown>> {
  return {
    name,
    type: subAttributes === undefined ? type : "complex",
    multiValued: is.isMultiValued ?? false,
    required: is.isRequired ?? false,
    caseExact: name === "externalId",
    mutability: is.isReadOnly === true ? "readOnly" : "readWrite",
    returned: "default",
    uniqueness: name === "userName" ? "server" : "none",
    ...(subAttributes && { subAttributes: subAttributes.map(attribute) }),
  };
}

const userAttributes: readonly Attribute[] = [
  { name: "userName", isRequired: true },
  { name: "externalId" },
  { name: "displayName" },
  { name: "name", subAttributes: [{ name: "formatted" }, { name: "givenName" }, { name: "familyName" }] },
  {
    name: "emails",
    isMultiValued: true,
    subAttributes: [{ name: "value" }, { name: "type" }, { name: "primary", type: "boolean" }],
  },
  { name: "active", type: "boolean" },
  { name: "groups", isMultiValued: true, isReadOnly: true, subAttributes: [{ name: "value" }, { name: "display" }] },
];
const groupAttributes: readonly Attribute[] = [
  { name: "displayName", isRequired: true },
  { name: "externalId" },
  { name: "members", isMultiValued: true, subAttributes: [{ name: "value" }, { name: "type" }] },
];

const schemaOf = (id: string, name: string, attributes: readonly Attribute[]): Readonly<Record<string, unknown>> => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
  id,
  name,
  attributes: attributes.map(attribute),
});
const typeOf = (name: string, endpoint: string, schema: string): Readonly<Record<string, unknown>> => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
  id: name,
  name,
  endpoint,
  schema,
});
const listOf = (resources: readonly unknown[]): Readonly<Record<string, unknown>> => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
  totalResults: resources.length,
  startIndex: 1,
  itemsPerPage: resources.length,
  Resources: resources,
});

const [userSchema, groupSchema] = [
  schemaOf(userSchemaId, "User", userAttributes),
  schemaOf(groupSchemaId, "Group", groupAttributes),
];
const [userType, groupType] = [typeOf("User", "/Users", userSchemaId), typeOf("Group", "/Groups", groupSchemaId)];
const unsupported = { supported: false } as const;

/** Documents by their path below `/scim/v2`. */
export const discovery: Readonly<Record<string, unknown>> = {
  "/ServiceProviderConfig": {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { ...unsupported, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: 1000 },
    changePassword: unsupported,
    sort: unsupported,
    etag: unsupported,
    authenticationSchemes: [
      { type: "oauthbearertoken", name: "API key", description: "An API key with the scope scim as bearer token" },
    ],
  },
  "/ResourceTypes": listOf([userType, groupType]),
  "/ResourceTypes/User": userType,
  "/ResourceTypes/Group": groupType,
  "/Schemas": listOf([userSchema, groupSchema]),
  [`/Schemas/${userSchemaId}`]: userSchema,
  [`/Schemas/${groupSchemaId}`]: groupSchema,
};
