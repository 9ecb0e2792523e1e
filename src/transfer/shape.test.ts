import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { build, orNull, refer } from "../core/schema.ts";
import * as shape from "./shape.ts";

const person = shape.record({
  name: shape.shortText(5),
  age: shape.nullable(shape.count),
  tags: shape.optional(shape.list(shape.oneOf(["a", "b"]))),
});

describe("record", () => {
  test.each([
    [{ name: "Ann", age: 3 }],
    [{ name: "Annie", age: null, tags: [] }],
    [{ tags: ["a", "b", "a"], age: 0, name: "A" }],
  ])("returns %j unchanged", (value) => {
    expect(person(value, "")).toBe(value);
  });

  test.each([
    [null, "must be an object"],
    [[], "must be an object"],
    ["text", "must be an object"],
    [{ age: 3 }, "name must be a string"],
    [{ name: "", age: 3 }, "name must have 1 to 5 characters"],
    [{ name: "Annies", age: 3 }, "name must have 1 to 5 characters"],
    [{ name: "Ann", age: -1 }, "age must be a whole number of at least 0"],
    [{ name: "Ann", age: 0.5 }, "age must be a whole number of at least 0"],
    [{ name: "Ann", age: 2 ** 53 }, "age must be a whole number of at least 0"],
    [{ name: "Ann" }, "age must be a whole number of at least 0"],
    [{ name: "Ann", age: 1, tags: {} }, "tags must be a list"],
    [{ name: "Ann", age: 1, tags: ["a", "c"] }, "tags[1] must be one of a, b"],
    [{ name: "Ann", age: 1, tags: null }, "tags must be a list"],
    [{ name: "Ann", age: 1, toString: "x" }, "toString is not a known member"],
    [JSON.parse('{"name":"Ann","age":1,"__proto__":{"tags":[]}}'), "__proto__ is not a known member"],
  ])("rejects %j with its path", (value, why) => {
    expect(() => person(value, "")).toThrow(new shape.ShapeError(why));
  });

  test("names the path within another record", () => {
    const outer = shape.record({ all: shape.list(person) });
    expect(() => outer({ all: [{ name: "A", age: 1 }, { name: 1 }] }, "")).toThrow("all[1].name must be a string");
  });

  test("returns or rejects any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        try {
          expect(person(value, "x")).toBe(value);
        } catch (error) {
          expect(error).toBeInstanceOf(shape.ShapeError);
        }
      }),
    );
  });
});

test("accepts canonical base64 only", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
      const text = Buffer.from(bytes).toString("base64");
      expect(shape.bytes(text, "")).toBe(text);
    }),
  );
  for (const text of ["a", "ab", "abc", "ab=c", "====", "ab-_", "abcd\n", "a b ", "abc==", 4]) {
    expect(() => shape.bytes(text, "raw")).toThrow("raw must be");
  }
});

test("rejects numbers out of bounds", () => {
  expect([shape.amount(0.5, ""), shape.countUpTo(3)(3, "")]).toEqual([0.5, 3]);
  for (const value of [Number.NaN, Infinity, -0.1, "1", null, undefined]) {
    expect(() => shape.amount(value, "")).toThrow("must be a number of at least 0");
  }
  expect(() => shape.countUpTo(3)(4, "day")).toThrow("day must be at most 3");
});

describe("shapeOf", () => {
  const pet = build.object({ name: build.string() }, { $id: "Pet" });
  const owner = shape.shapeOf(
    build.object({
      pets: build.array(refer(pet)),
      best: orNull(refer(pet)),
      kind: build.enum(["a", "b"]),
      count: build.integer(),
      size: build.optional(build.number()),
      isOpen: build.optional(build.boolean()),
      labels: build.optional(build.record(build.string())),
      data: build.any(),
    }),
  );
  const valid = { pets: [{ name: "Rex" }], best: null, kind: "a", count: 1, data: { any: [1] } };

  test.each([
    [{}],
    [{ best: { name: "Rex" }, size: 0.5, isOpen: false, labels: { x: "y" }, data: null }],
    [{ data: undefined, labels: {} }],
  ])("returns a value with %j unchanged", (changes) => {
    const value = { ...valid, ...changes };
    expect(owner(value, "")).toBe(value);
  });

  test.each([
    [{ pets: {} }, "pets must be a list"],
    [{ pets: [{ name: 1 }] }, "pets[0].name must be a string"],
    [{ pets: [{ name: "Rex", age: 1 }] }, "pets[0].age is not a known member"],
    [{ best: undefined }, "best must be an object"],
    [{ kind: "c" }, "kind must be one of a, b"],
    [{ count: 0.5 }, "count must be a whole number of at least 0"],
    [{ size: -1 }, "size must be a number of at least 0"],
    [{ isOpen: null }, "isOpen must be true or false"],
    [{ labels: { x: 1 } }, "labels.x must be a string"],
    [{ labels: [] }, "labels must be an object"],
    [{ more: 1 }, "more is not a known member"],
  ])("rejects a value with %j with its path", (changes, why) => {
    expect(() => owner({ ...valid, ...changes }, "")).toThrow(new shape.ShapeError(why));
  });
});
