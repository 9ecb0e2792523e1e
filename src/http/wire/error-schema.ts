import { build, type ValueOf } from "../../core/schema.ts";
import type { FieldProblem, Problem } from "../../core/errors.ts";

/** Errors of one field. */
export interface WireFieldError {
  /** Path of the field in the body, or name of the query parameter. */
  readonly field: string;
  /** At least one. */
  readonly detail: readonly { readonly description: string; readonly code: string }[];
}

/** Schema of error responses. */
export const errorSchema = build.object(
  {
    type: build.string(),
    status: build.integer(),
    message: build.string(),
    errors: build.array(
      build.object({
        field: build.string(),
        detail: build.array(build.object({ description: build.string(), code: build.string() }), { minItems: 1 }),
      }),
      "At least one for status 400, none for others.",
    ),
  },
  { $id: "Error" },
);

/** Body of every error response, members in this order. */
export type WireError = ValueOf<typeof errorSchema>;

/**
 * Returns the body of an error response. Errors of one field are grouped; a 400 without any names the request as a
 * whole.
 */
export function toWireError(problem: Problem): WireError {
  const { type, status } = problem.row;
  return { type, status, message: problem.message, errors: status === 400 ? fieldErrors(problem) : [] };
}

function fieldErrors(problem: Problem): readonly WireFieldError[] {
  if (problem.fields.length === 0)
    return fieldErrorsOf([{ field: "request", description: problem.message, code: "invalid" }]);
  return fieldErrorsOf(problem.fields);
}

function fieldErrorsOf(problems: readonly FieldProblem[]): readonly WireFieldError[] {
  return Array.from(
    Map.groupBy(problems, (problem) => problem.field),
    ([field, group]) => ({
      field,
      detail: group.map(({ description, code }) => ({ description, code })),
    }),
  );
}
