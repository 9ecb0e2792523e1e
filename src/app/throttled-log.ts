import type { Clock } from "../core/clock.ts";
import { Problem, type ProblemCode } from "../core/errors.ts";
import type { Log, OpenLog } from "./log.ts";

/** What every request and every chore meets at once where the store cannot be had or is full. */
const floodCodes: ReadonlySet<ProblemCode> = new Set(["unavailable", "storage_full"]);
/** After a line about such a fault, as long passes before the next. */
const pauseMs = 60_000;

interface Flood {
  /** Epoch milliseconds. */
  readonly toldAt: number;
  readonly untoldCount: number;
}

/**
 * The same log, in which an outage of the store takes lines by the minute, not by the request: of errors whose `err` is a
 * {@link Problem} of the kinds that then come in floods, one of a kind is written in a minute, with `untoldCount`, the
 * number of those since the line before that were not.
 */
export function throttledLog(log: OpenLog, clock: Pick<Clock, "monotonicMs">): OpenLog {
  const floods = new Map<ProblemCode, Flood>();
  const error: Log["error"] = (fields, message) => {
    const { err } = fields;
    if (!(err instanceof Problem) || !floodCodes.has(err.code)) {
      log.error(fields, message);
      return;
    }
    const now = clock.monotonicMs();
    const flood = floods.get(err.code) ?? { toldAt: -Infinity, untoldCount: 0 };
    if (now - flood.toldAt < pauseMs) {
      floods.set(err.code, { ...flood, untoldCount: flood.untoldCount + 1 });
      return;
    }
    floods.set(err.code, { toldAt: now, untoldCount: 0 });
    log.error(flood.untoldCount === 0 ? fields : { ...fields, untoldCount: flood.untoldCount }, message);
  };
  return { ...log, error };
}
