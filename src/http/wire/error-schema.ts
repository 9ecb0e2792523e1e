import { build, schemaOf, type WireSchema } from "./schema.ts";

/** What is wrong with one field. */
export interface WireFieldError {
  /** Path of the field in the body, or name of the query parameter. */
  readonly field: string;
  /** At least one. */
  readonly detail: readonly { readonly description: string; readonly code: string }[];
}

/** The body of every refusal, members in this order. */
export interface WireError {
  readonly type: string;
  readonly status: number;
  readonly message: string;
  /** At least one for status 400, none for others. */
  readonly errors: readonly WireFieldError[];
}

/** The body of every refusal. */
export const errorSchema: WireSchema<WireError> = schemaOf<WireError>()(
  build.Object(
    {
      type: build.String(),
      status: build.Integer(),
      message: build.String(),
      errors: build.Array(
        build.Object({
          field: build.String(),
          detail: build.Array(build.Object({ description: build.String(), code: build.String() }), { minItems: 1 }),
        }),
        { description: "At least one for status 400, none for others." },
      ),
    },
    { $id: "Error" },
  ),
);
