import { Problem } from "../core/errors.ts";
import type { EmailSession } from "./email.ts";

/** Place of an object among those of a provider. */
export interface ObjectPlace {
  readonly kind: string;
  readonly id: string;
}

/** Result of a decision about an object, and its new value; without `change` the object stays as it is. */
export interface ObjectDecision<Result> {
  readonly result: Result;
  readonly change?: {
    readonly value: unknown;
    /** Milliseconds since the Unix epoch; the present instant removes the object. */
    readonly expiresAt: number | null;
  };
}

/** Each lost comparison means that another request changed the object. */
const attemptCountMax = 50;

/**
 * Changes an object as `decide` returns for its value, undefined when there is none; decides again when another request
 * changed the object in between, so that parallel requests count. Rejects with `too_many_requests` when that happens too
 * often, which includes an object of the account that a restricted key cannot change.
 */
export async function changeObject<Result>(
  objects: EmailSession["objects"],
  { kind, id }: ObjectPlace,
  decide: (value: unknown) => ObjectDecision<Result>,
): Promise<Result> {
  for (let attempt = 0; attempt < attemptCountMax; attempt += 1) {
    const present = await objects.get(kind, id);
    const { result, change } = decide(present?.value);
    const isDone = change === undefined || (await objects.put(kind, id, { ...change, version: present?.version ?? 0 }));
    if (isDone) return result;
  }
  throw new Problem("too_many_requests");
}
