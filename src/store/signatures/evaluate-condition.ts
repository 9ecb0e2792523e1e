import type { OrdinalSet } from "./ordinal-set.ts";
import type { IndexedTerm, TextCondition } from "./text-condition.ts";

/** Returns false where no message of a segment meets a condition; `mayContain` tells it for a term. */
export function mayMeet(condition: TextCondition, mayContain: (term: IndexedTerm) => boolean): boolean {
  if (condition.kind === "term") return mayContain(condition);
  const mayMeetOne = (one: TextCondition): boolean => mayMeet(one, mayContain);
  return condition.kind === "or" ? condition.of.some(mayMeetOne) : condition.of.every(mayMeetOne);
}

/**
 * Returns the messages of a segment that meet a condition; undefined when there are none. `messagesWith` returns those with a
 * term, in a set that is changed; it is called for each term once, and only as long as it matters. The condition has no part
 * that every message meets.
 */
export function messagesMeeting(
  condition: TextCondition,
  messagesWith: (term: IndexedTerm) => OrdinalSet | undefined,
): OrdinalSet | undefined {
  if (condition.kind === "term") return messagesWith(condition);
  let found: OrdinalSet | undefined;
  for (const one of condition.of) {
    const more = messagesMeeting(one, messagesWith);
    if (more === undefined) {
      if (condition.kind === "and") return undefined;
    } else if (found === undefined) {
      found = more;
    } else if (condition.kind === "or") {
      found.addAll(more);
    } else {
      found.intersect(more);
    }
    if (condition.kind === "and" && found?.isEmpty === true) return undefined;
  }
  return found;
}
