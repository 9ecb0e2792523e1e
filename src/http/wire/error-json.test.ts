import { describe, expect, test } from "vitest";
import { catalogue, invalidField, Problem, type FieldProblem, type ProblemCode } from "../../core/errors.ts";
import { toWireError } from "./error-schema.ts";

describe("toWireError", () => {
  test("returns exactly what the official libraries read", () => {
    const problem = invalidField("name", "Servers need a name", "required");
    expect(JSON.stringify(toWireError(problem))).toBe(
      '{"type":"ValidationError","status":400,"message":"The request has invalid parameters",' +
        '"errors":[{"field":"name","detail":[{"description":"Servers need a name","code":"required"}]}]}',
    );
  });

  test("groups the errors of a field", () => {
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

  test("adds an entry with a detail to every 400", () => {
    expect(toWireError(new Problem("invalid_request")).errors[0]?.detail[0]?.description).toMatch(/./);
  });

  test.each(Object.keys(catalogue) as ProblemCode[])("uses the text of the catalogue for %s", (code) => {
    const { type, status, text } = catalogue[code];
    expect(toWireError(new Problem(code))).toMatchObject({ type, status, message: text });
    expect(Object.keys(toWireError(new Problem(code)))).toEqual(["type", "status", "message", "errors"]);
  });
});
