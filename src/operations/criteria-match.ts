import type { EventMessage } from "../core/events.ts";
import type { FoldedCriteria } from "../store/store.ts";

/** Whether a message meets the criteria, exactly as the store would find it; or may meet them, where not all is known of it. */
export function matchesCriteria(message: EventMessage, criteria: FoldedCriteria): boolean {
  const { sentFrom, sentTo, subject, body } = criteria;
  const results: boolean[] = [];
  if (sentFrom !== undefined) results.push(message.from?.includes(sentFrom) ?? true);
  if (sentTo !== undefined) results.push(message.to.includes(sentTo));
  if (subject !== undefined) results.push(message.subject.includes(subject));
  if (body !== undefined) results.push(message.body?.includes(body) ?? true);
  return criteria.match === "ALL" ? results.every(Boolean) : results.some(Boolean);
}
