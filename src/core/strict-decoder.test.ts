import { expect, test } from "vitest";
import { Problem } from "./errors.ts";
import { aliases, asNumber, build, refined, refusal } from "./schema.ts";
import { decodeStrictly, type Place } from "./strict-decoder.ts";

const span = build.object(
  { ms: build.integer({ minimum: 1, maximum: 9 }), unit: build.optional(build.string()) },
  { [asNumber]: { minimum: 1, maximum: 9, others: { unit: "ms" } } },
);
const evenOnly = (value: number, place: Place): number | undefined =>
  value % 2 === 0 ? value : place.fail("Must be even");
const schema = build.object(
  {
    name: build.string({
      pattern: "^[a-z]+$",
      maxLength: 5,
      [refusal]: { text: "Must be lower case", code: "unknown" },
    }),
    delay: build.optional(span),
    colours: build.optional(build.array(build.enum(["red", "blue"]), { minItems: 1, maxItems: 2, uniqueItems: true })),
    even: build.optional(build.number({ minimum: 0, maximum: 8, [refined]: evenOnly })),
    isSet: build.optional(build.boolean({ const: true })),
  },
  { [aliases]: { wait: "delay" } },
);

function errorsOf(body: unknown): readonly string[] {
  try {
    decodeStrictly(schema, body);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.fields.map(({ field, description, code }) => `${field} ${code}: ${description}`);
  }
}

test("decodes members by their names and other names, and drops members that are null", () => {
  const body = { name: "a", wait: 5, colours: ["blue", "red"], even: null, isSet: true };
  expect(decodeStrictly(schema, body)).toEqual({
    name: "a",
    delay: { ms: 5, unit: "ms" },
    colours: ["blue", "red"],
    isSet: true,
  });
});

test.each<readonly [unknown, readonly string[]]>([
  [null, ["body invalid_type: Must be an object"]],
  [{}, ["name required: Is required"]],
  [{ name: "" }, ["name required: Must not be empty"]],
  [{ name: "abcdef" }, ["name too_long: Must have at most 5 characters"]],
  [{ name: "A" }, ["name unknown: Must be lower case"]],
  [{ name: "a", nmae: 1 }, ["nmae unknown: Is unknown; did you mean name?"]],
  [{ name: "a", delay: 1, wait: 2 }, ["wait invalid: Is the same member as delay"]],
  [{ name: "a", wait: 10 }, ["wait out_of_range: Must be a whole number from 1 to 9"]],
  [{ name: "a", wait: { ms: 0.5 } }, ["wait.ms out_of_range: Must be a whole number from 1 to 9"]],
  [{ name: "a", colours: [] }, ["colours required: Must not be empty"]],
  [{ name: "a", colours: ["red", "red"] }, ["colours invalid: Must name each item once"]],
  [{ name: "a", colours: ["red", "red", "red"] }, ["colours too_many: Must have at most 2 items"]],
  [{ name: "a", colours: ["green"] }, ["colours[0] unknown: Must be one of red, blue"]],
  [{ name: "a", even: 9 }, ["even out_of_range: Must be a number from 0 to 8"]],
  [{ name: "a", even: 3 }, ["even invalid: Must be even"]],
  [{ name: "a", isSet: false }, ["isSet invalid_type: Must be true, or absent"]],
])("names what is wrong in %j", (body, expected) => {
  expect(errorsOf(body)).toEqual(expected);
});
