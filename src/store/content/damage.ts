import { Problem } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";

/** Returns the error of a damaged message; `cause` says what does not match. */
export function damagedMessage(id: MessageId, cause: string): Problem {
  return new Problem("data_damaged", { cause: new Error(`message ${id}: ${cause}`) });
}

/** Returns whether an error reports that stored bytes have changed on disk. */
export function isDamage(error: unknown): boolean {
  return error instanceof Problem && error.code === "data_damaged";
}
