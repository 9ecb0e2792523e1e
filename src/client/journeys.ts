/** Journeys of several messages, and messages that were sent more than once. */
import { type Bounds, boundsOf, defined, type Instant, waiting, waitMsDefault } from "./bounds.ts";
import { DuplicatesError, JourneyError } from "./errors.ts";
import type { AwaitJourneyRequest, DuplicateGroup, FindDuplicatesQuery, JourneyResult } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import type { Transport } from "./transport.ts";
import { conflictBody } from "./waits.ts";

/** Step of a journey: criteria with a number of messages, or a quiet time. */
export type JourneyStep = AwaitJourneyRequest["steps"][number];

/** Options of `journey`. */
export interface JourneyOptions extends RequestOptions, Omit<Bounds, "dir"> {
  /** Milliseconds to wait for messages; quiet times are added. Together at most 60,000. Default: 10,000. */
  readonly timeout?: number | undefined;
  /** Whether the messages of a step come after those of the step before (`given`, the default), or in any order. */
  readonly order?: "given" | "any" | undefined;
}

/** Options of `findDuplicates`. */
export type DuplicateOptions = RequestOptions &
  Omit<FindDuplicatesQuery, "server" | "receivedAfter"> & { readonly receivedAfter?: Instant | undefined };

/** Waits for all steps of a journey; throws a `JourneyError` with the reason of each step that was not met. */
export async function awaitJourney(
  transport: Transport,
  { server, steps }: { readonly server: string; readonly steps: readonly JourneyStep[] },
  options: JourneyOptions = {},
): Promise<JourneyResult> {
  const { timeout = waitMsDefault, order } = options;
  const quiet = steps.reduce((sum, step) => sum + (step.quiet ?? 0), 0);
  const query = { server, timeout, ...boundsOf(options) };
  const body = { steps: [...steps], ...defined({ order }) };
  try {
    return await transport.call("awaitJourney", { query, body }, waiting(options, timeout + quiet));
  } catch (error) {
    const result = conflictBody<JourneyResult>(error, "failures");
    if (result === null) throw error;
    const reasons = result.failures.map(({ step, name, text, explanation }) => {
      const why = explanation === null ? "" : `\n  ${explanation.text.replaceAll("\n", "\n  ")}`;
      return `\n- step ${String(step + 1)}${name === null ? "" : ` (${name})`}: ${text}${why}`;
    });
    throw new JourneyError(`The journey is not complete:${reasons.join("")}`, result);
  }
}

/** Throws a `DuplicatesError` when messages were sent more than once. */
export function expectNoDuplicates(groups: readonly DuplicateGroup[]): void {
  if (groups.length === 0) return;
  const shown = groups.map(({ count, subject, recipients, differences }) => {
    const fields = Array.from(new Set(differences.map(({ field }) => field))).join(", ");
    return `\n- ${String(count)} times ${JSON.stringify(subject)} to ${recipients.join(", ")}, different in: ${fields || "nothing"}`;
  });
  throw new DuplicatesError(`Messages were sent more than once:${shown.join("")}`, groups);
}
