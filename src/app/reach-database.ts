import { Problem } from "../core/errors.ts";

/**
 * What `attempt` resolves with, which opens or prepares the database of the settings. The process stays alive meanwhile:
 * pauses between attempts keep none. Rejects with an `Error` that tells the operator what came in the way when the
 * database cannot be had, and with whatever else `attempt` rejects with.
 */
export async function reachDatabase<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await attempt();
  } catch (error) {
    throw error instanceof Problem ? forOperator(error) : error;
  } finally {
    clearInterval(alive);
  }
}

function forOperator({ cause, message }: Problem): Error {
  const why = cause instanceof Error ? cause.message : message;
  return new Error(`The database of RESTANTE_DATABASE_URL cannot be used: ${why}`, { cause });
}
