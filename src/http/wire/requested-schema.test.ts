import { describe, expect, test } from "vitest";
import { asRead, asRequested, withRequired } from "./requested-schema.ts";
import { aliases, asNumber, build, byNumberToo, orNull } from "../../core/schema.ts";

const empty = { type: "string", maxLength: 0 };
const none = { type: "null" };
const integer = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

describe("a body that the decoder reads", () => {
  test.each([
    ["a text", build.string(), { anyOf: [{ type: "string" }, none] }],
    [
      "a text of a form",
      build.string({ pattern: "^a$" }),
      { anyOf: [{ type: "string", pattern: "^a$" }, empty, none] },
    ],
    ["an enum", build.enum(["a", "b"]), { anyOf: [{ enum: ["a", "b"] }, empty, none] }],
    ["null or an enum", orNull(build.enum(["a"])), { anyOf: [{ enum: ["a"] }, none, empty] }],
    ["a number", build.integer(), { anyOf: [integer, none] }],
    [
      "a list",
      build.array(build.string()),
      { anyOf: [{ type: "array", items: { anyOf: [{ type: "string" }, none] } }, none] },
    ],
    [
      "a list with elements",
      build.array(build.string(), { minItems: 1 }),
      { anyOf: [{ type: "array", minItems: 1, items: { type: "string", minLength: 1 } }, none] },
    ],
    [
      "a record",
      build.record(build.string()),
      { anyOf: [{ type: "object", additionalProperties: { anyOf: [{ type: "string" }, none] } }, none] },
    ],
    [
      "an enum that may be given by its number",
      byNumberToo(build.enum(["a", "b"], { default: "a" })),
      {
        default: "a",
        anyOf: [{ enum: ["a", "b"] }, { enum: ["0", "1"] }, { type: "integer", minimum: 0, maximum: 1 }, empty, none],
      },
    ],
  ])("may contain %s", (_name, member, described) => {
    const whole = asRequested(build.object({ x: build.optional<unknown>(member) }));
    expect(JSON.parse(JSON.stringify(whole))).toEqual({ type: "object", properties: { x: described } });
  });

  test("must contain required members, whose texts are not empty", () => {
    const whole = asRequested(build.object({ text: build.string(), count: build.integer() }));
    expect(whole).toEqual({
      type: "object",
      required: ["text", "count"],
      properties: { text: { type: "string", minLength: 1 }, count: integer },
    });
  });
});

test("members are required at any depth", () => {
  const account = build.object({ id: build.optional(build.string()), key: build.optional(build.string()) });
  const schema = build.object({ a: build.optional(orNull(account)), b: build.optional(build.string()) });
  const { required, properties } = withRequired(schema, ["b", "a.id"]);
  expect([required, properties?.["a"]?.anyOf]).toEqual([["b"], [{ ...account, required: ["id"] }, none]]);
});

describe("a body that its operation reads", () => {
  test("may contain null, further names and a number for an object, and nothing unknown", () => {
    const span = build.object({ ms: build.integer() }, { [asNumber]: { minimum: 1, maximum: 9 } });
    const shape = build.object({ name: build.string(), delay: build.optional(span) }, { [aliases]: { wait: "delay" } });
    const delay = [
      { type: "object", required: ["ms"], properties: { ms: integer }, additionalProperties: false },
      { type: "integer", minimum: 1, maximum: 9 },
      none,
    ];
    expect(JSON.parse(JSON.stringify(asRead(shape)))).toEqual({
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string" },
        delay: { anyOf: delay },
        wait: { anyOf: delay, description: "Same as `delay`." },
      },
      additionalProperties: false,
    });
  });
});
