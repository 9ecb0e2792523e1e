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
