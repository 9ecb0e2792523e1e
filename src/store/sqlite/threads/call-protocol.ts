/** Messages between a {@link Thread} and its worker module. */
import type { SerializedError } from "../connection/errors.ts";

/** Message of a call to a thread. */
export interface CallRequest {
  readonly number: number;
  readonly name: string;
  readonly parameters: readonly unknown[];
}

/** Returns the method that a call executes: calls of records name it in their parameters. */
export function methodOf({ name, parameters }: Omit<CallRequest, "number">): string {
  return name === "changeRecord" ? String(parameters[1]) : name;
}

/** Response to a {@link CallRequest}; a missing `result` means `undefined`, unless the call failed. */
export interface CallResponse {
  readonly number: number;
  readonly result?: unknown;
  readonly error?: SerializedError;
}

/** Call that ends a thread after all earlier calls. */
export const closeCall = "close";
