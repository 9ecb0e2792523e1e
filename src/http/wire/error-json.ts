import type { FieldProblem, Problem } from "../../core/errors.ts";
import type { WireError, WireFieldError } from "./error-schema.ts";

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
