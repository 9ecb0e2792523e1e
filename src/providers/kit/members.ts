/** Readers of JSON objects, whose methods throw the provider's error for a member of another type. */
import type { EmailDraft } from "../email.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { isHeaderName } from "../formats/mail-fields.ts";

/** Types of members that readers expect; `value`: one that a check of the provider accepts. */
export type MemberType = "string" | "boolean" | "object" | "array" | "value";

/** Conventions of a provider's API about members. */
export interface MemberRules {
  /** Returns the error of a member that has another type. */
  readonly wrongType: (name: string, type: MemberType) => Error;
  /** Whether an empty string is an absent member; false by default. */
  readonly isEmptyAbsent?: boolean;
  /** Whether names are compared without letter case; false by default. */
  readonly ignoresCase?: boolean;
}

/** Members of one JSON object; null is an absent member. */
export class Members {
  readonly #rules: MemberRules;
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(object: JsonObject, rules: MemberRules) {
    this.#rules = rules;
    this.#values = new Map(Object.entries(object).map(([name, value]) => [this.#keyOf(name), value]));
  }

  #keyOf(name: string): string {
    return this.#rules.ignoresCase === true ? name.toLowerCase() : name;
  }

  /** Returns whether a member is present, also when it is null or "". */
  has(name: string): boolean {
    return this.#values.has(this.#keyOf(name));
  }

  /** Returns a member as it is; null for an absent one. */
  value(name: string): unknown {
    const value = this.#values.get(this.#keyOf(name)) ?? null;
    return value === "" && this.#rules.isEmptyAbsent === true ? null : value;
  }

  /** Returns a string; null for an absent one. */
  text(name: string): string | null {
    return this.#read(name, "string", isString);
  }

  /** Returns a boolean; null for an absent one. */
  flag(name: string): boolean | null {
    return this.#read(name, "boolean", (value) => typeof value === "boolean");
  }

  /** Returns an array; an empty one for an absent one. */
  list(name: string): readonly unknown[] {
    return this.#read(name, "array", (value): value is readonly unknown[] => Array.isArray(value)) ?? [];
  }

  /** Returns the objects of an array; none for an absent one. */
  objects(name: string): readonly Members[] {
    return this.list(name).map((one) => {
      if (!isJsonObject(one)) throw this.#rules.wrongType(name, "array");
      return new Members(one, this.#rules);
    });
  }

  /** Returns an object; null for an absent one. */
  object(name: string): JsonObject | null {
    return this.#read(name, "object", isJsonObject);
  }

  /** Returns the members of an object; none for an absent one. */
  inside(name: string): Members {
    return new Members(this.object(name) ?? {}, this.#rules);
  }

  /** Returns the header fields that an object names, whose values `isText` accepts; none for an absent one. */
  headers(name: string, isText: (value: unknown) => boolean = isString): EmailDraft["headers"] {
    return Object.entries(this.object(name) ?? {}).map(([field, value]) => {
      if (!isText(value) || !isHeaderName(field)) throw this.#rules.wrongType(name, "value");
      return [field, String(value)] as const;
    });
  }

  /** Returns a value that a check accepts; null for an absent one. */
  checked<Value>(name: string, isValid: (value: unknown) => value is Value): Value | null {
    return this.#read(name, "value", isValid);
  }

  #read<Value>(name: string, type: MemberType, isType: (value: unknown) => value is Value): Value | null {
    const value = this.value(name);
    if (value === null) return null;
    if (!isType(value)) throw this.#rules.wrongType(name, type);
    return value;
  }
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
