import { summarySubjectLengthMax } from "../../../core/limits.ts";

/** Returns the start of a subject that a summary shows: at most {@link summarySubjectLengthMax}, no surrogate pair cut. */
export function summarySubject(subject: string): string {
  if (subject.length <= summarySubjectLengthMax) return subject;
  return subject.slice(0, summarySubjectLengthMax).replace(/[\ud800-\udbff]$/, "");
}
