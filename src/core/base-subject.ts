/** Length of a subject in a search. */
const subjectLengthMax = 1000;
/** Subject prefixes of replies and forwards in the languages of common email clients. */
const prefix = /^(?:re|fwd?|aw|wg|sv|vs|tr|rv|antw|odp)(?:\[\d{1,3}\])?\s{0,3}:\s*/i;

/** Returns the subject without `Re:`, `Fwd:`, `AW[2]:` and the like, at most 1000 UTF-16 units (compare RFC 5256 §2.1). */
export function baseSubject(subject: string): string {
  let rest = subject.slice(0, subjectLengthMax).trim();
  for (let before = ""; before !== rest;) {
    before = rest;
    rest = rest.replace(prefix, "");
  }
  return rest;
}
