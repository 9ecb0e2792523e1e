/** Attributes of requests to SCIM: of resources, and of the operations of PATCH (RFC 7644 §3.5.2). */
import { invalidField } from "../../core/errors.ts";
import { attributePath } from "./filter.ts";

type Json = Readonly<Record<string, unknown>>;

/** Change of one attribute. */
export interface AttributeChange {
  readonly kind: "add" | "remove" | "replace";
  /** Lower-case path without schema and filter, such as `emails.value`. */
  readonly path: string;
  /** Filter of values in the path, as in `members[value eq "x"]`; undefined without one, null for another that is not understood. */
  readonly selected: ValueFilter | null | undefined;
  readonly value: unknown;
}

/** Filter of the values of an attribute, for equality of one of their members. */
export interface ValueFilter {
  /** Lower-case name of the member, such as `value` or `type`. */
  readonly member: string;
  readonly value: string;
}

/** Returns the changes that replace a whole resource, or those of an operation without path. */
export function changesOfResource(body: unknown, kind: "add" | "replace" = "replace"): readonly AttributeChange[] {
  return Object.entries(objectOf("body", body)).flatMap(([name, value]): readonly AttributeChange[] => {
    const path = attributePath(name);
    if (path === "schemas" || path === "meta" || path === "id") return [];
    if (path !== "name") return [{ kind, path, selected: undefined, value }];
    return Object.entries(objectOf("name", value ?? {})).map(([part, own]) => {
      return { kind, path: `name.${part.toLowerCase()}`, selected: undefined, value: own };
    });
  });
}

/** Returns the changes of a PATCH, in order. Letter case of operations and members is ignored, as Entra needs it. */
export function changesOfPatch(body: unknown): readonly AttributeChange[] {
  const operations = memberOf(objectOf("body", body), "operations");
  if (!Array.isArray(operations) || operations.length === 0) {
    throw invalidField("Operations", "A PATCH needs a list of operations", "required");
  }
  return operations.flatMap((given: unknown) => changesOfOperation(objectOf("Operations", given)));
}

function changesOfOperation(operation: Json): readonly AttributeChange[] {
  const op = memberOf(operation, "op");
  const kind = (["add", "remove", "replace"] as const).find(
    (one) => typeof op === "string" && one === op.toLowerCase(),
  );
  if (kind === undefined) throw invalidField("op", "Operations are add, remove and replace");
  const [path, value] = [memberOf(operation, "path"), memberOf(operation, "value")];
  if (typeof path === "string" && path !== "") {
    return [{ kind, path: attributePath(path), selected: valueFilterOf(path), value }];
  }
  if (kind === "remove") throw invalidField("path", "A removal needs a path", "required");
  return changesOfResource(value, kind);
}

/** Returns the filter in a path, so that no change reaches values that it does not select. */
function valueFilterOf(path: string): AttributeChange["selected"] {
  if (!path.includes("[")) return undefined;
  const [, member, text, literal] = valueFilter.exec(path) ?? [];
  return member === undefined ? null : { member: member.toLowerCase(), value: (text ?? literal ?? "").toLowerCase() };
}

const valueFilter = /^[\w:.$-]+\[\s*(\w+)\s+eq\s+(?:"([^"\\]*)"|(true|false))\s*\](?:\.\w+)?$/i;

/** Returns a member of an object without regard to letter case. */
export function memberOf(object: Json, name: string): unknown {
  return Object.entries(object).find(([own]) => own.toLowerCase() === name)?.[1];
}

/** Returns the value if it is an object. Throws a 400 on `field`. */
export function objectOf(field: string, value: unknown): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw invalidField(field, "Must be a JSON object", "invalid_type");
}

/** Returns a text; undefined for null and "". Throws a 400 on `field` for other values. */
export function textOf(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw invalidField(field, "Must be a string", "invalid_type");
  if (value.length > 1000) throw invalidField(field, "At most 1000 characters", "too_long");
  return value.toWellFormed();
}

/** Returns a boolean, which Entra also writes as a string. Throws a 400 on `field`. */
export function booleanOf(field: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "string" && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === "true";
  throw invalidField(field, "Must be a boolean", "invalid_type");
}

/** Returns the values of a multi-valued attribute: of one object, of a list of them, or of texts. */
export function valuesOf(field: string, value: unknown): readonly Json[] {
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((one) => (typeof one === "string" ? { value: one } : objectOf(field, one)));
}
