/** Base subjects (RFC 5256 section 2.1). */

/** Characters of a subject that are compared. */
const subjectLengthMax = 1000;
const trailer = /(?: |\(fwd\))$/i;
const leader = /^(?:\[[^[\]]*\] ?)*(?:re|fwd?) ?(?:\[[^[\]]*\] ?)?:/i;
const blob = /^\[[^[\]]*\] ?/;
const forwarded = /^\[fwd:(.*)\]$/is;

/** Subject without what replies and forwards add to it. */
export interface BaseSubject {
  readonly text: string;
  /** Whether something of a reply or a forward was removed. */
  readonly isReply: boolean;
}

/** Returns the base subject of a decoded subject. */
export function baseSubjectOf(subject: string): BaseSubject {
  let text = subject.slice(0, subjectLengthMax).replaceAll(/\s+/g, " ");
  let isReply = false;
  for (;;) {
    for (let end = trailer.exec(text); end !== null; end = trailer.exec(text)) {
      isReply ||= end[0] !== " ";
      text = text.slice(0, end.index);
    }
    const stripped = withoutLeaders(text);
    isReply ||= stripped.isReply;
    text = stripped.text;
    const inner = forwarded.exec(text)?.[1];
    if (inner === undefined) return { text, isReply };
    isReply = true;
    text = inner;
  }
}

/** Removes `Re:`, `[list] Fwd:` and the like, and blobs in brackets unless nothing else is left. */
function withoutLeaders(subject: string): BaseSubject {
  let text = subject.trimStart();
  let isReply = false;
  for (;;) {
    const isOfReply = leader.test(text);
    const rest = text.replace(isOfReply ? leader : blob, "").trimStart();
    if (rest === text || (!isOfReply && rest === "")) return { text, isReply };
    isReply ||= isOfReply;
    text = rest;
  }
}
