/** What values out of JSON must look like; refusals name the place in the value. */

/** Answers the value as it was given, or throws {@link ShapeRefused}. `at` names its place, such as `detail.message.to[3]`. */
export type Shape<Value> = (value: unknown, at: string) => Value;

/** A value is not what it must be. */
export class ShapeRefused extends Error {
  override readonly name: string = "ShapeRefused";
}

/** Throws {@link ShapeRefused} with the place in front. */
export function refuse(at: string, why: string): never {
  throw new ShapeRefused(at === "" ? why : `${at} ${why}`);
}

/** Any text. */
export const text: Shape<string> = (value, at) => (typeof value === "string" ? value : refuse(at, "must be a text"));

/** A text of so many UTF-16 units, and at least one. */
export function shortText(lengthMax: number): Shape<string> {
  return (value, at) => {
    const given = text(value, at);
    return given.length > 0 && given.length <= lengthMax ? given : refuse(at, `must have 1 to ${lengthMax} characters`);
  };
}

/** A text that matches, which is described by `what`. */
export function textLike(pattern: RegExp, what: string): Shape<string> {
  return (value, at) => (pattern.test(text(value, at)) ? (value as string) : refuse(at, `must be ${what}`));
}

/** A number that is not negative. */
export const amount: Shape<number> = (value, at) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : refuse(at, "must be a number from 0 on");

/** A whole number that is not negative. */
export const count: Shape<number> = (value, at) =>
  Number.isSafeInteger(value) && Number(value) >= 0
    ? (value as number)
    : refuse(at, "must be a whole number from 0 on");

/** A whole number from 0 to `max`. */
export function countUpTo(max: number): Shape<number> {
  return (value, at) => (count(value, at) <= max ? (value as number) : refuse(at, `must be at most ${max}`));
}

/** One of several texts. */
export function oneOf<const Value extends string>(values: readonly Value[]): Shape<Value> {
  return (value, at) =>
    values.includes(value as Value) ? (value as Value) : refuse(at, `must be one of ${values.join(", ")}`);
}

/** A member that must be missing; for {@link optional}. */
export const absent: Shape<never> = (_value, at) => refuse(at, "is not known here");

/** The value, or null. */
export function nullable<Value>(shape: Shape<Value>): Shape<Value | null> {
  return (value, at) => (value === null ? null : shape(value, at));
}

/** A member of a record that may be missing. */
export function optional<Value>(shape: Shape<Value>): Shape<Value> {
  // What is missing stays missing: nothing reads it as a value.
  return (value, at) => (value === undefined ? (undefined as Value) : shape(value, at));
}

/** A list of such values. */
export function list<Value>(shape: Shape<Value>): Shape<readonly Value[]> {
  return (value, at) => {
    if (!Array.isArray(value)) return refuse(at, "must be a list");
    for (const [index, item] of value.entries()) shape(item, `${at}[${index}]`);
    return value as readonly Value[];
  };
}

/** An object with these members, and no other. */
export function record<Value extends object>(shapes: {
  readonly [Key in keyof Value]-?: Shape<Value[Key]>;
}): Shape<Value> {
  const known = Object.entries(shapes) as readonly [string, Shape<unknown>][];
  return (value, at) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse(at, "must be an object");
    const inside = at === "" ? "" : `${at}.`;
    for (const [name, shape] of known) {
      shape(Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined, inside + name);
    }
    const strange = Object.keys(value).find((name) => !Object.hasOwn(shapes, name));
    if (strange !== undefined) refuse(`${inside}${strange.slice(0, 100)}`, "is not known here");
    return value as Value;
  };
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Base64 (RFC 4648 §4, with padding) of any bytes. */
export const bytes: Shape<string> = (value, at) => {
  const given = text(value, at);
  return given.length % 4 === 0 && base64.test(given) ? given : refuse(at, "must be base64");
};
