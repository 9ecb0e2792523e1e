import { Problem } from "../core/errors.ts";

/**
 * Runs `attempt`, which opens or migrates the database of the settings, and keeps the process alive meanwhile (the timers of
 * retries do not). Returns its result. Rejects with an `Error` for the operator when the database cannot be used, and with
 * any other error of `attempt`.
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
  const reason = cause instanceof Error ? cause.message : message;
  return new Error(`The database of RESTANTE_DATABASE_URL cannot be used: ${reason}`, { cause });
}
