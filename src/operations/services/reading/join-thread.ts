/** Threads of mail by their header fields (RFC 5322 §3.6.4). */
import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import type { StoredDetail } from "./stored-detail.ts";

/** Message that may belong to a conversation. */
export interface Member {
  readonly id: MessageId;
  readonly detail: StoredDetail;
}

/** Length of header fields that is parsed, for hostile mail. */
const namesLengthMax = 64 * 1024;
const nameCountMax = 200;
/** Length of a subject in a search. */
const subjectLengthMax = 1000;
/** Subject prefixes of replies and forwards in the languages of common email clients. */
const prefix = /^(?:re|fwd?|aw|wg|sv|vs|tr|rv|antw|odp)(?:\[\d{1,3}\])?\s{0,3}:\s*/i;

/**
 * Returns the members of the requested message's thread, by Message-ID and references, oldest first. Of a mail between own
 * servers, which is both sent and received, returns the requested message, else the sent one.
 */
export function joinThread(asked: Member, members: readonly Member[]): readonly Member[] {
  const named = members.map((member) => ({ member, names: namesOf(member.detail) }));
  const known = new Set(namesOf(asked.detail));
  const joined = new Set([asked]);
  for (let before = 0; before < joined.size;) {
    before = joined.size;
    for (const { member, names } of named) {
      if (joined.has(member) || !names.some((name) => known.has(name))) continue;
      joined.add(member);
      for (const name of names) known.add(name);
    }
  }
  return withoutCopies([...joined].toSorted(byTime), asked);
}

/** Sorts by instant, then by id. */
export function byTime(one: Member, other: Member): number {
  const [a, b] = [decodeMessageId(one.id).receivedAt, decodeMessageId(other.id).receivedAt];
  return a - b || (one.id < other.id ? -1 : 1);
}

/** Returns the subject without `Re:`, `Fwd:`, `AW[2]:` and the like, at most 1000 UTF-16 units (compare RFC 5256 §2.1). */
export function baseSubject(subject: string): string {
  let rest = subject.slice(0, subjectLengthMax).trim();
  for (let before = ""; before !== rest;) {
    before = rest;
    rest = rest.replace(prefix, "");
  }
  return rest;
}

function withoutCopies(members: readonly Member[], asked: Member): readonly Member[] {
  const kept = new Map<string, Member>();
  for (const member of members) {
    const name = fieldOf(member.detail, "message-id") || member.id;
    const other = kept.get(name);
    const isBetter = member === asked || (other !== asked && decodeMessageId(member.id).direction === "Sent");
    if (other === undefined || isBetter) kept.set(name, member);
  }
  const left = new Set(kept.values());
  return members.filter((member) => left.has(member));
}

/** Returns the Message-ID of a mail and the ids that it references. */
function namesOf(detail: StoredDetail): readonly string[] {
  const text = ["message-id", "in-reply-to", "references"].map((name) => fieldOf(detail, name)).join(" ");
  return (text.slice(0, namesLengthMax).match(/<[^<>\s]{1,998}>/g) ?? []).slice(0, nameCountMax);
}

function fieldOf({ message }: StoredDetail, name: string): string {
  return message.metadata.headers.find(({ field }) => field.toLowerCase() === name)?.value ?? "";
}
