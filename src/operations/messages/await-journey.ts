import { summariesOf } from "../services/reading/stored-detail.ts";
import type { Principal } from "../../core/api-key.ts";
import type { Criteria, Page } from "../../core/criteria.ts";
import { criteriaExpression } from "../../core/search/build-expression.ts";
import { invalidField } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import {
  type Journey,
  type JourneyFailure,
  journeyMatchCountMax,
  journeyMessageCountMax,
  type JourneyStep,
  journeyStepCountMax,
  journeyStepNameLengthMax,
} from "../../core/journey.ts";
import type { ServerId } from "../../core/ids.ts";
import type { Summary } from "../../core/message.ts";
import type { SearchExplanation } from "../../core/search-explanation.ts";
import type { SummaryPage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { foldCriteria } from "../services/search/read-search.ts";
import { waitForMessages } from "../services/events/wait-for-messages.ts";
import { openServer } from "../services/security/access.ts";
import { explainSearch } from "./explain-search.ts";
import { compareAge, type JourneyMatch, matchJourney, type UnmetStep } from "./match-journey.ts";

/** Returns the longest time in milliseconds that a journey can take: the time-out and all quiet times. */
function journeyMsMax({ steps }: Journey, timeoutMs: number): number {
  return steps.reduce((sum, { quietMs }) => sum + quietMs, timeoutMs);
}

/** Throws a 400 that names every wrong field of a journey, except wrong criteria. */
function checkJourney(journey: Journey, timeoutMs: number, waitMsMax: number): void {
  const { order, steps } = journey;
  const errors = new FieldCollector();
  if (steps.length < 1 || steps.length > journeyStepCountMax) {
    const description = `From 1 to ${String(journeyStepCountMax)} steps`;
    errors.add({ field: "steps", description, code: "out_of_range" });
  }
  for (const [position, step] of steps.entries()) {
    const wrong = stepError(step, order === "any" && position < steps.length - 1);
    if (wrong !== null) errors.add({ ...wrong, field: `steps[${String(position)}]${wrong.field}` });
  }
  if (steps.reduce((sum, { count }) => sum + count, 0) > journeyMessageCountMax) {
    const description = `The steps expect at most ${String(journeyMessageCountMax)} messages together`;
    errors.add({ field: "steps", description, code: "out_of_range" });
  }
  if (!(journeyMsMax(journey, timeoutMs) <= waitMsMax)) {
    const description = `The time-out and the quiet times are at most ${String(waitMsMax)} ms together`;
    errors.add({ field: "timeout", description, code: "out_of_range" });
  }
  errors.finish();
}

function stepError(
  { name, criteria, count, quietMs }: JourneyStep,
  isBeforeOthersInAnyOrder: boolean,
): { readonly field: string; readonly description: string; readonly code: "invalid" | "required" } | null {
  if (name !== null && name.length > journeyStepNameLengthMax) {
    const description = `At most ${String(journeyStepNameLengthMax)} characters`;
    return { field: ".name", description, code: "invalid" };
  }
  const isQuiet = quietMs > 0;
  if (quietMs < 0) return { field: ".quiet", description: "A whole number of milliseconds from 1", code: "invalid" };
  if (!isQuiet && count < 1) {
    return { field: ".count", description: "A whole number from 1, or quiet instead", code: "invalid" };
  }
  if (isQuiet && count !== 0) {
    return { field: ".count", description: "Either count or quiet, not both", code: "invalid" };
  }
  if (isQuiet && isBeforeOthersInAnyOrder) {
    const description = "In any order, only the last step can expect quiet";
    return { field: ".quiet", description, code: "invalid" };
  }
  if (!isQuiet && criteria === null) return { field: "", description: "Give at least one criterion", code: "required" };
  return null;
}

/** Request for a journey. */
export interface JourneyRequest {
  readonly server: string;
  readonly journey: Journey;
  /** Bounds of all steps. */
  readonly bounds: Pick<Page, "receivedAfter" | "afterSequence">;
  /** Longest wait for messages in milliseconds; quiet times are added to it. */
  readonly timeoutMs: number;
  /** Aborts when the caller disconnects. */
  readonly gone: AbortSignal;
  /** Returns whether the caller's key or session can still access the server. */
  readonly isOpen: () => Promise<boolean>;
}

/** Result of a journey. */
export interface JourneyOutcome {
  /** Messages of each step, oldest first. */
  readonly messages: readonly (readonly Summary[])[];
  /** Sequence number up to which all messages were considered. */
  readonly cursor: number;
  /** Steps that were not met; empty when the journey is complete. */
  readonly failures: readonly JourneyFailure[];
}

/** Messages of all steps, and their comparison with the journey. */
interface JourneySearch extends JourneyMatch {
  readonly pages: readonly SummaryPage[];
  readonly cursor: number;
}

/** Explained steps of one response: each explanation reads the server once for each criterion. */
const explainedStepCountMax = 3;
/** Messages that a failure names. */
const failureMessageCountMax = 5;

/**
 * Waits until every step of a journey is met, until one cannot be met any more, or until the time is over. Rejects with a
 * 400 on the wrong fields, also when more than `journeyMatchCountMax` messages match a step within the bounds; otherwise as
 * `waitForMessages` does.
 */
export async function awaitJourney(
  context: Context,
  principal: Principal,
  request: JourneyRequest,
): Promise<JourneyOutcome> {
  const { journey, timeoutMs } = request;
  checkJourney(journey, timeoutMs, context.limits.waitMsMax);
  const server = await openServer(context, principal, request.server);
  const criteria = foldSteps(journey.steps, context.limits.searchTextLengthMax);
  const steps = journey.steps.map((step, position): SearchedStep => {
    const { direction } = step;
    const page = { page: 0, itemsPerPage: journeyMatchCountMax, direction, ...request.bounds };
    return { ...step, server: server.id, folded: criteria[position] ?? null, page };
  });
  const started = { at: context.clock.now(), ms: context.clock.monotonicMs() };
  const found = await waitForMessages(context, principal, {
    interests: steps.map(({ direction, folded }) => {
      return { server: server.id, direction, expression: criteriaExpression(folded ?? { match: "ALL" }) };
    }),
    // The comparison ends the wait; the addition is for the query that finds that the time is over.
    waitMs: journeyMsMax(journey, timeoutMs) + 1000,
    gone: request.gone,
    isOpen: request.isOpen,
    search: async () => searchSteps(context, principal, { steps, request, started }),
    isComplete: ({ changesAfterMs }) => changesAfterMs === null,
    changesAfterMs: ({ changesAfterMs }) => changesAfterMs,
  });
  const failures: JourneyFailure[] = [];
  for (const unmet of unmetSteps(steps, found)) {
    const isExplained = unmet.reason === "missing" && failures.length < explainedStepCountMax && !request.gone.aborted;
    const explanation = isExplained
      ? await explainStep(context, principal, { steps, request, started, found, unmet })
      : null;
    failures.push(failureOf(steps, unmet, { found, explanation }));
  }
  return { messages: found.messages, cursor: found.cursor, failures };
}

/** Step with its folded criteria and its page. */
interface SearchedStep extends JourneyStep {
  readonly server: ServerId;
  readonly folded: Criteria | null;
  readonly page: Page;
}

/** Journey that waits. */
interface StartedJourney {
  readonly steps: readonly SearchedStep[];
  readonly request: JourneyRequest;
  /** Instant of the start, and the same on the monotonic clock. */
  readonly started: { readonly at: number; readonly ms: number };
}

async function searchSteps(
  { store, clock }: Context,
  { keyId: caller }: Principal,
  { steps, request, started }: StartedJourney,
): Promise<JourneySearch> {
  const pages = await Promise.all(
    steps.map(async ({ server, folded, ...step }) => {
      const page = { ...step.page, caller, signal: request.gone };
      return folded === null
        ? store.listMessages(server, page)
        : store.searchMessages(server, criteriaExpression(folded), page);
    }),
  );
  const match = matchJourney(request.journey, {
    matches: pages.map((page, position) => oldestFirst(page, position)),
    since: request.bounds.receivedAfter ?? started.at,
    now: clock.now(),
    elapsedMs: clock.monotonicMs() - started.ms,
    timeoutMs: request.timeoutMs,
  });
  return { ...match, pages, cursor: Math.min(...pages.map(({ cursor }) => cursor)) };
}

async function explainStep(
  context: Context,
  principal: Principal,
  journey: StartedJourney & { readonly found: JourneySearch; readonly unmet: UnmetStep },
): Promise<SearchExplanation | null> {
  const { steps, request, started, found, unmet } = journey;
  const [step, page] = [steps[unmet.step], found.pages[unmet.step]];
  if (step?.criteria == null || step.folded === null || page === undefined) return null;
  return explainSearch(context, principal, {
    server: step.server,
    criteria: step.folded,
    requested: step.criteria,
    page: step.page,
    found: page,
    startedAt: started.at,
    waitedMs: context.clock.monotonicMs() - started.ms,
    signal: request.gone,
  });
}

/** Returns the unmet steps; those that lack messages when the service shut down during the wait. */
function unmetSteps(steps: readonly JourneyStep[], found: JourneySearch): readonly UnmetStep[] {
  if (found.changesAfterMs === null) return found.failed;
  return steps.flatMap(({ count }, step): UnmetStep[] => {
    const isMet = count > 0 && found.messages[step]?.length === count;
    return isMet ? [] : [{ step, reason: "missing", messages: [] }];
  });
}

function failureOf(
  steps: readonly JourneyStep[],
  { step, reason, messages }: UnmetStep,
  { found, explanation }: { found: JourneySearch; explanation: JourneyFailure["explanation"] },
): JourneyFailure {
  const { name = null, count: expected = 0 } = steps[step] ?? {};
  const title = `Step ${String(step + 1)}${name === null ? "" : ` (${name})`}`;
  const foundCount = found.messages[step]?.length ?? 0;
  const others =
    messages.length === 0 ? "" : `; ${String(messages.length)} more came too early or belong to other steps`;
  const text =
    reason === "unexpected"
      ? `${title}: ${countOf(messages.length)} arrived, though none should`
      : expected === 0
        ? `${title}: the wait ended before the quiet time was over`
        : `${title}: ${String(foundCount)} of ${countOf(expected)} arrived${others}`;
  return { step, name, reason, expected, messages: messages.slice(0, failureMessageCountMax), text, explanation };
}

function countOf(count: number): string {
  return `${String(count)} ${count === 1 ? "message" : "messages"}`;
}

function foldSteps(steps: readonly JourneyStep[], searchTextLengthMax: number): readonly (Criteria | null)[] {
  const errors = new FieldCollector();
  const folded = steps.map(({ criteria }, position) => {
    if (criteria === null) return null;
    return errors.collectInside(`steps[${String(position)}]`, () => foldCriteria(criteria, searchTextLengthMax));
  });
  errors.finish();
  return folded.map((criteria) => criteria ?? null);
}

function oldestFirst({ json, hasMore }: SummaryPage, position: number): readonly Summary[] {
  if (hasMore) {
    const text = `More than ${String(journeyMatchCountMax)} messages match; give receivedAfter or after, or more criteria`;
    throw invalidField(`steps[${String(position)}]`, text, "out_of_range");
  }
  const summaries = summariesOf({ json });
  return summaries.toSorted(compareAge);
}
