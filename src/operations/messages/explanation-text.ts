import type { Contact } from "../../core/message.ts";
import type { FailedCriterion, NearMiss, SearchExplanation } from "../../core/search-explanation.ts";

/** Returns an explanation in a few lines, one for each message, for the output of a test. */
export function explanationText(explanation: Omit<SearchExplanation, "text">, waitedMs: number): string {
  const { since, arrived, hasMore, nearest } = explanation;
  const count = `${hasMore ? "More than " : ""}${String(arrived)} ${arrived === 1 ? "message" : "messages"}`;
  const lines = [
    `The search did not find enough messages in ${String(Math.round(waitedMs))} ms. ${count} arrived since ${since}.`,
    ...nearest.map(messageLine),
  ];
  return lines.join("\n");
}

function messageLine({ received, from, to, subject, failed }: NearMiss): string {
  const head = `- ${received} from ${addresses(from)} to ${addresses(to)}, ${JSON.stringify(subject)}`;
  return `${head}: ${failed.map(failureText).join("; ")}`;
}

function failureText({ criterion, expected, actual, hint }: FailedCriterion): string {
  const value = actual.length === 0 ? "" : `, is ${actual.map((one) => JSON.stringify(one)).join(", ")}`;
  return `${criterion}: expected ${JSON.stringify(expected)}${value}${hint === null ? "" : ` (${hint})`}`;
}

function addresses(contacts: readonly Contact[]): string {
  const [first, ...others] = contacts.flatMap(({ email, phone }) => email ?? phone ?? []);
  if (first === undefined) return "(none)";
  return others.length === 0 ? first : `${first} and ${String(others.length)} more`;
}
