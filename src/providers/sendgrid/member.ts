/** Members of a request, whose readers collect errors. A request with errors is rejected, so that their values do not matter. */
import { isAbsent, isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { sendGridError, type SendGridError, type SendGridErrorName } from "./errors.ts";

/** Errors reported for one request; further ones are dropped. */
const errorCountMax = 100;

/** Error for texts that match a pattern. */
type Forbidden = readonly [pattern: RegExp, error: SendGridErrorName];

/** Value in a request. Readers return undefined for an absent one, and after adding an error for one of another type. */
export class Member {
  readonly value: unknown;
  /** Path with numeric indexes, `personalizations.0.to.1.email`; null for the whole request. */
  readonly field: string | null;
  /** Errors of the request so far. */
  readonly errors: SendGridError[];

  constructor(value: unknown, field: string | null = null, errors: SendGridError[] = []) {
    this.value = value;
    this.field = field;
    this.errors = errors;
  }

  /** Whether the value is absent or null. */
  get isAbsent(): boolean {
    return isAbsent(this.value);
  }

  /** This member, absent when it is null. */
  get orNull(): Member {
    return this.value === null ? new Member(undefined, this.field, this.errors) : this;
  }

  /** Returns a member of the object. */
  at(name: string): Member {
    return this.#child(name, isJsonObject(this.value) ? this.value[name] : undefined);
  }

  #child(name: string | number, value: unknown): Member {
    return new Member(value, this.field === null ? `${name}` : `${this.field}.${name}`, this.errors);
  }

  /** Adds an error; `value` is the rejected value, which the message shows. */
  add(name: SendGridErrorName, value?: string): void {
    if (this.errors.length < errorCountMax) this.errors.push(sendGridError(name, this.field, value));
  }

  /** Adds an error whose message shows the value. */
  addShown(name: SendGridErrorName): void {
    this.add(name, typeof this.value === "string" ? this.value : JSON.stringify(this.value));
  }

  /** Returns a text. */
  text(): string | undefined {
    return this.#typed("string", (value) => typeof value === "string");
  }

  /** Returns a boolean. */
  flag(): boolean | undefined {
    return this.#typed("boolean", (value) => typeof value === "boolean");
  }

  /** Returns an object. */
  object(): JsonObject | undefined {
    return this.#typed("object", isJsonObject);
  }

  /** Returns the elements of an array. */
  array(): readonly Member[] | undefined {
    const list = this.#typed("array", (value): value is readonly unknown[] => Array.isArray(value));
    return list?.map((one, at) => this.#child(at, one));
  }

  /** Returns what `read` returns for each element of an array that may be absent or null, without undefined. */
  each<Read>(read: (one: Member) => Read | undefined): readonly Read[] {
    return readEach(this.orNull.array(), read);
  }

  /** Returns a text that is not empty and has no forbidden part; with the named error otherwise. */
  required(missing: SendGridErrorName, forbidden?: Forbidden): string {
    const text = typeof this.value === "string" ? this.value : "";
    if (text === "") this.add(missing);
    else if (forbidden?.[0].test(text) === true) this.add(forbidden[1]);
    return text;
  }

  /** Returns the texts of an object that may be absent or null; with the named error when a value is no text. */
  texts(error: SendGridErrorName): Readonly<Record<string, string>> {
    const members = Object.entries(this.orNull.object() ?? {});
    const texts = members.filter((entry): entry is [string, string] => typeof entry[1] === "string");
    if (texts.length < members.length) this.add(error);
    return Object.fromEntries(texts);
  }

  #typed<Value>(type: string, isType: (value: unknown) => value is Value): Value | undefined {
    if (isType(this.value)) return this.value;
    if (this.value !== undefined) this.add("invalidType", `${type}, given: ${typeName(this.value)}`);
    return undefined;
  }
}

/** Returns what `read` returns for each member, without undefined. */
export function readEach<Read>(
  members: readonly Member[] | undefined,
  read: (one: Member) => Read | undefined,
): readonly Read[] {
  return (members ?? []).map(read).filter((one) => one !== undefined);
}

/** Returns the type of a JSON value as the API names it. */
function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" ? (Number.isInteger(value) ? "integer" : "number") : typeof value;
}
