/** Work on the servers of a key, a few at a time and within a time limit. */
import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { searchServersMsMax } from "../../core/limits.ts";
import { listServers } from "../servers/list-servers.ts";
import type { Context } from "../context.ts";

/** Servers that are searched concurrently: as many as stores run for one caller. */
const concurrentCountMax = 4;

/** Visit of the servers of a principal. */
export interface ServerVisit {
  /** Visits one server; the signal aborts when the caller disconnects or the time limit has passed. */
  readonly visit: (server: ServerId, signal: AbortSignal) => Promise<void>;
  /** Returns whether the remaining servers need no visit. */
  readonly isDone?: () => boolean;
  /** Aborts when the caller disconnects. */
  readonly gone: AbortSignal;
}

/**
 * Visits the servers that a principal can access and that have messages. Rejects with `unavailable` after
 * `searchServersMsMax`, and when the caller disconnects.
 */
export async function eachServer(
  context: Pick<Context, "store" | "clock">,
  principal: Principal,
  { visit, isDone = () => false, gone }: ServerVisit,
): Promise<void> {
  const [deadline, failure] = [new AbortController(), new AbortController()];
  const cancel = context.clock.after(searchServersMsMax, () => {
    deadline.abort();
  });
  const signal = AbortSignal.any([gone, deadline.signal, failure.signal]);
  try {
    const servers = (await listServers(context, principal)).filter(({ messages }) => messages > 0);
    const waiting = servers.values();
    const work = async (): Promise<void> => {
      for (const { id } of waiting) {
        if (isDone()) return;
        if (signal.aborted) throw new Problem("unavailable", { cause: signal.reason });
        await visit(id, signal);
      }
    };
    await Promise.all(Array.from({ length: concurrentCountMax }, work));
  } catch (error) {
    failure.abort(error);
    if (!deadline.signal.aborted || gone.aborted) throw error;
    const text = `Searching all servers took longer than ${searchServersMsMax / 1000} s; narrow the query or search one server`;
    throw new Problem("unavailable", { text, cause: error });
  } finally {
    cancel();
  }
}
