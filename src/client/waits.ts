/** Waits for messages, and proofs that none or not too many arrive. */
import { type Bounds, boundsOf, defined, waiting, waitMsDefault } from "./bounds.ts";
import { ConflictError, NoMatchError, UnexpectedMessageError } from "./errors.ts";
import type { Message, SearchExplanation, SearchMessagesRequest, Summary } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import { fetchPage, type Page } from "./page.ts";
import { type ReceivedMessage, withMethods } from "./received-message.ts";
import type { Transport } from "./transport.ts";

// Errors of waits, with the explanation of the service.

/** Criteria of a search; at least one. */
export type Criteria = SearchMessagesRequest;

/** Returns the error of a wait that too few messages matched. */
export function noMatch(
  { criteria, count, timeout }: { readonly criteria: Criteria; readonly count: number; readonly timeout: number },
  messages: readonly Summary[] | readonly Message[],
  explanation: SearchExplanation | null,
): NoMatchError {
  const found = messages as readonly Summary[];
  const number = found.length === 0 ? "No message" : `Only ${String(found.length)} of ${String(count)} messages`;
  const title = `${number} matched ${JSON.stringify(criteria)} within ${String(timeout)} ms.`;
  const why = explanation === null ? "" : `\n${explanation.text}`;
  return new NoMatchError(`${title}${found.length === 0 ? "" : ` Matched:${listOf(found)}`}${why}`, {
    messages: found,
    explanation,
  });
}

/** Returns the body of a 409 that has a member beside those of an error; null for any other error. */
export function conflictBody<Body>(error: unknown, member: string): Body | null {
  if (!(error instanceof ConflictError) || typeof error.body !== "object" || error.body === null) return null;
  return member in error.body ? (error.body as Body) : null;
}

/** Lists messages, a line for each. */
export function listOf(messages: readonly Summary[]): string {
  return messages
    .map(({ received, subject, from, to }) => {
      const people = [from, to].map((contacts) => contacts.map(({ email, phone }) => email ?? phone ?? "").join(", "));
      return `\n- ${received} from ${people[0] ?? ""} to ${people[1] ?? ""}, ${JSON.stringify(subject)}`;
    })
    .join("");
}

/** Returns a number of messages in words. */
export function countOf(count: number): string {
  return count === 1 ? "1 message" : `${String(count)} messages`;
}

/** Options of waits. */
export interface WaitOptions extends RequestOptions, Bounds {
  /** Milliseconds to wait; any number. Default: 10,000; for `expectNone` 2,000. */
  readonly timeout?: number | undefined;
}

/** Options of `expectExactly`. */
export interface ExpectOptions extends WaitOptions {
  /** Milliseconds for which no further message may match. Default: 1,000. */
  readonly settle?: number | undefined;
}

/** Search: the server and the criteria. */
export interface Search {
  readonly server: string;
  readonly criteria: Criteria;
}

interface ExplainedMessages {
  readonly items: readonly Message[];
  readonly explanation: SearchExplanation | null;
}

const absenceMsDefault = 2_000;
/** Longest wait of one request; longer ones take several. */
const requestWaitMsMax = 60_000;
/** Largest page of full messages. */
const fullPageMax = 100;

/** Waits until `count` messages match; resolves with the newest `count` of them, oldest first. */
export async function waitForMany(
  transport: Transport,
  { server, criteria, count }: Search & { readonly count: number },
  options: WaitOptions = {},
): Promise<readonly ReceivedMessage[]> {
  requireCount(count);
  const timeout = options.timeout ?? waitMsDefault;
  const deadline = transport.time.now() + timeout;
  for (;;) {
    const remaining = Math.max(0, Math.ceil(deadline - transport.time.now()));
    const slice = Math.min(remaining, requestWaitMsMax);
    const query = { timeout: slice, count, explain: true, full: true, itemsPerPage: Math.min(count, fullPageMax) };
    const { page, explanation } = await searchExplained(transport, { server, criteria, query }, options);
    if (explanation === null) return (await collect(page, count)).map((message) => withMethods(transport, message));
    if (remaining <= slice) throw noMatch({ criteria, count, timeout }, page.items, explanation);
  }
}

/** Searches with an explanation. The time limit of the request starts after that of the wait. */
async function searchExplained(
  transport: Transport,
  {
    server,
    criteria,
    query,
  }: Search & { readonly query: Readonly<Record<string, unknown>> & { readonly timeout: number } },
  options: WaitOptions,
): Promise<{ readonly page: Page<Message>; readonly explanation: SearchExplanation | null }> {
  let explanation: SearchExplanation | null = null;
  const page = await fetchPage<Message, "searchMessages">(
    transport,
    {
      id: "searchMessages",
      parameters: { query: { server, ...boundsOf(options), ...query }, body: criteria },
      // With `explain`, an object.
      options: { ...waiting(options, query.timeout), content: "json" },
    },
    (content) => {
      const found = content as ExplainedMessages;
      explanation = found.explanation;
      return found.items;
    },
  );
  return { page, explanation };
}

/** A page ends early when its messages are large; the rest is on the next ones. */
async function collect(first: Page<Message>, count: number): Promise<readonly Message[]> {
  const messages = [...first.items];
  for (let page = first; messages.length < count && page.hasNext;) {
    page = await page.next();
    messages.push(...page.items);
  }
  return messages.slice(0, count).toReversed();
}

/** Resolves when no message matched within the time; throws an `UnexpectedMessageError` as soon as one does. */
export async function expectNone(
  transport: Transport,
  { server, criteria }: Search,
  options: WaitOptions = {},
): Promise<void> {
  const timeout = options.timeout ?? absenceMsDefault;
  const deadline = transport.time.now() + timeout;
  for (;;) {
    const remaining = Math.max(0, Math.ceil(deadline - transport.time.now()));
    const slice = Math.min(remaining, requestWaitMsMax);
    const query = { server, ...boundsOf(options), timeout: slice, absent: true };
    try {
      await transport.call("searchMessages", { query, body: criteria }, waiting(options, slice));
    } catch (error) {
      const found = conflictBody<{ readonly messages: readonly Summary[] }>(error, "messages");
      if (found === null) throw error;
      const title = `Expected no message with ${JSON.stringify(criteria)}, and ${countOf(found.messages.length)} matched:`;
      throw new UnexpectedMessageError(`${title}${listOf(found.messages)}`, found.messages);
    }
    if (remaining <= slice) return;
  }
}

/**
 * Waits until `count` messages match, and then for `settle` that no more do. Throws a `NoMatchError` when there are too few,
 * an `UnexpectedMessageError` when there are too many.
 */
export async function expectExactly(
  transport: Transport,
  { server, criteria, count }: Search & { readonly count: number },
  options: ExpectOptions = {},
): Promise<readonly ReceivedMessage[]> {
  requireCount(count);
  const { timeout = waitMsDefault, settle } = options;
  const query = {
    timeout,
    expect: count,
    full: true,
    explain: true,
    // One more than expected, so that the error lists each of too many.
    itemsPerPage: Math.min(count + 1, fullPageMax),
    ...defined({ settle }),
  };
  try {
    const { page } = await searchExplained(transport, { server, criteria, query }, options);
    return (await collect(page, count)).map((message) => withMethods(transport, message));
  } catch (error) {
    type Found = { readonly messages: readonly Summary[]; readonly explanation?: SearchExplanation | null };
    const found = conflictBody<Found>(error, "messages");
    if (found === null) throw error;
    const { messages, explanation = null } = found;
    if (explanation !== null) throw noMatch({ criteria, count, timeout }, messages, explanation);
    const title = `Expected exactly ${countOf(count)} with ${JSON.stringify(criteria)}, and more matched:`;
    throw new UnexpectedMessageError(`${title}${listOf(messages)}`, messages);
  }
}

function requireCount(count: number): void {
  if (!Number.isInteger(count) || count < 1) throw new RangeError("count: must be a whole number of at least 1");
}
