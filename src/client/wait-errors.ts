/** Errors of waits, with the explanation of the service. */
import { ConflictError, NoMatchError } from "./errors.ts";
import type { Message, SearchExplanation, SearchMessagesRequest, Summary } from "./generated/types.ts";

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
