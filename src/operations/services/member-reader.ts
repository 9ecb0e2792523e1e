import { Problem, type FieldCode } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import { suggestion } from "../../core/nearest-name.ts";

/** Readers of the members of an object; each returns undefined after a field error. */
export type MemberReaders<Value> = {
  readonly [Name in keyof Value]-?: (member: MemberReader) => Value[Name] | undefined;
};

/** Length at which names of members are cut in field errors. */
const nameLengthMax = 64;

/** Strict reader of a JSON value and its members: wrong types and unknown members are field errors. */
export class MemberReader {
  readonly value: unknown;
  readonly #path: string;
  readonly #errors: FieldCollector;

  /** `path` is that of the value in the body, "" for the body itself. */
  constructor(value: unknown, path = "", errors: FieldCollector = new FieldCollector()) {
    this.value = value;
    this.#path = path;
    this.#errors = errors;
  }

  /** Adds a field error. */
  fail(description: string, code: FieldCode = "invalid"): undefined {
    this.#errors.add({ field: this.#path === "" ? "body" : this.#path, description, code });
  }

  /** Throws a 400 with all field errors, if there are any. */
  finish(): void {
    this.#errors.finish();
  }

  /** Returns the names of the members that are neither absent nor null. */
  names(): readonly string[] {
    const { value } = this;
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [name]));
  }

  /** Returns the reader of a member. */
  member(name: string, value?: unknown): MemberReader {
    const at = name.slice(0, nameLengthMax);
    return new MemberReader(value, this.#path === "" ? at : `${this.#path}.${at}`, this.#errors);
  }

  /**
   * Reads the members of an object in the order of their readers; null counts as absent. Returns undefined unless the value
   * is an object with all required members. Members with a field error are left out. `aliases` are further names of members.
   */
  object<Value extends object>(
    readers: MemberReaders<Value>,
    required: readonly (keyof Value & string)[] = [],
    aliases: Readonly<Record<string, keyof Value & string>> = {},
  ): Value | undefined {
    const { value } = this;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return this.fail("Must be an object", "invalid_type");
    }
    const names = Object.keys(readers) as (keyof Value & string)[];
    const forms = new Map(names.map((name) => [name, [name, ...aliasesOf(aliases, name)]] as const));
    const given = new Map(Object.entries(value).filter(([, member]) => member !== null));
    this.#failUnknown(given.keys(), new Set([...forms.values()].flat()), names);
    const members: Partial<Value> = {};
    for (const [name, all] of forms) {
      const own = this.#nameOf(all, given);
      if (own === undefined && required.includes(name)) this.member(name).fail("Is required", "required");
      if (own === undefined) continue;
      const member = readers[name](this.member(own, given.get(own)));
      if (member !== undefined) members[name] = member;
    }
    return required.every((name) => name in members) ? (members as Value) : undefined;
  }

  /** Returns the name by which a member is given. */
  #nameOf(names: readonly string[], given: ReadonlyMap<string, unknown>): string | undefined {
    const [own, other] = names.filter((name) => given.has(name));
    if (other !== undefined) this.member(other).fail(`Is the same member as ${String(own)}`);
    return own;
  }

  #failUnknown(given: Iterable<string>, known: ReadonlySet<string>, names: readonly string[]): void {
    for (const name of given) {
      if (!known.has(name)) this.member(name).fail(unknownText(name, names), "unknown");
    }
  }

  /** Returns what `read` returns for each item, without undefined; undefined unless the value is an array of at most so many. */
  items<Item>(countMax: number, read: (item: MemberReader) => Item | undefined): readonly Item[] | undefined {
    if (!Array.isArray(this.value)) return this.fail("Must be an array", "invalid_type");
    if (this.value.length > countMax) return this.fail(`Must have at most ${String(countMax)} items`, "too_many");
    return this.value
      .map((item: unknown, at) => read(new MemberReader(item, `${this.#path}[${String(at)}]`, this.#errors)))
      .filter((item) => item !== undefined);
  }

  /** Returns a string of 1 to so many characters. */
  text(lengthMax: number): string | undefined {
    if (typeof this.value !== "string") return this.fail("Must be a string", "invalid_type");
    if (this.value === "") return this.fail("Must not be empty", "required");
    if (this.value.length > lengthMax) {
      return this.fail(`Must have at most ${String(lengthMax)} characters`, "too_long");
    }
    return this.value.toWellFormed();
  }

  /** Returns a whole number within bounds. */
  whole(min: number, max: number): number | undefined {
    const { value } = this;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max) return value;
    return this.fail(`Must be a whole number from ${String(min)} to ${String(max)}`, "out_of_range");
  }

  /** Returns one of the names. */
  oneOf<Name extends string>(names: readonly Name[]): Name | undefined {
    return names.find((name) => name === this.value) ?? this.fail(`Must be one of ${names.join(", ")}`, "unknown");
  }

  /** Returns a boolean. */
  boolean(): boolean | undefined {
    return typeof this.value === "boolean" ? this.value : this.fail("Must be true or false", "invalid_type");
  }

  /** Returns true for true. */
  onlyTrue(): true | undefined {
    return this.value === true ? true : this.fail("Must be true, or absent", "invalid_type");
  }

  /** Returns what `read` returns; when it throws field errors, adds one with this description. */
  attempt<Value>(read: () => Value, description: string): Value | undefined {
    try {
      return read();
    } catch (error) {
      if (error instanceof Problem && error.fields.length > 0) return this.fail(description);
      throw error;
    }
  }
}

function aliasesOf(aliases: Readonly<Record<string, string>>, name: string): readonly string[] {
  return Object.keys(aliases).filter((alias) => aliases[alias] === name);
}

function unknownText(name: string, names: readonly string[]): string {
  return `Is unknown${suggestion(name, names) || `; known are ${names.join(", ")}`}`;
}
