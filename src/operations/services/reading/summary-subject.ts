import { summarySubjectLengthMax } from "../../../core/limits.ts";

/** Returns the start of a subject for a summary: at most {@link summarySubjectLengthMax} units, without splitting a surrogate pair. */
export function summarySubject(subject: string): string {
  if (subject.length <= summarySubjectLengthMax) return subject;
  return subject.slice(0, summarySubjectLengthMax).replace(/[\ud800-\udbff]$/, "");
}
