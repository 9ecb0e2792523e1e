import { describe, expect, test } from "vitest";
import { catalogue, invalidField, Problem, type FieldProblem, type ProblemCode } from "../../core/errors.ts";
import { toWireError } from "./error-json.ts";

describe("toWireError", () => {
  test("is, byte for byte, what the official libraries read", () => {
    const problem = invalidField("name", "Servers need a name", "required");
    expect(JSON.stringify(toWireError(problem))).toBe(
      '{"type":"ValidationError","status":400,"message":"The request has invalid parameters",' +
        '"errors":[{"field":"name","detail":[{"description":"Servers need a name","code":"required"}]}]}',
    );
  });

  test("tells all problems of one field together", () => {
    const fields: FieldProblem[] = [
      { field: "a", description: "one", code: "required" },
      { field: "b", description: "two", code: "invalid" },
      { field: "a", description: "three", code: "too_long" },
    ];
    expect(toWireError(new Problem("invalid_request", { fields })).errors).toEqual([
      {
        field: "a",
        detail: [
          { description: "one", code: "required" },
          { description: "three", code: "too_long" },
        ],
      },
      { field: "b", detail: [{ description: "two", code: "invalid" }] },
    ]);
  });

  test("a 400 always has an entry with a detail", () => {
    expect(toWireError(new Problem("invalid_request")).errors[0]?.detail[0]?.description).toMatch(/./);
  });

  test.each(Object.keys(catalogue) as ProblemCode[])("%s says what the catalogue says", (code) => {
    const { type, status, text } = catalogue[code];
    expect(toWireError(new Problem(code))).toMatchObject({ type, status, message: text });
    expect(Object.keys(toWireError(new Problem(code)))).toEqual(["type", "status", "message", "errors"]);
  });
});
