/** Comparison of one message with the terms of an expression; stores decide the same with their own means. */
import type { AddressRole, LabelKeys, TextField } from "../criteria.ts";
import type { Marks } from "../marks.ts";
import { foldPart, partOf, wholeValue } from "./search-fields.ts";
import type { SearchTerm } from "./search-expression.ts";

/** Facts about a message, folded; null for those that are not known. */
export interface SearchFacts {
  readonly addresses: Readonly<Record<AddressRole, readonly string[]>>;
  readonly labels: LabelKeys;
  readonly texts: Readonly<Record<TextField, string>>;
  /** Result of `encodeSearchFields`. */
  readonly fields: string | null;
  readonly marks: Marks | null;
  readonly sizeBytes: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  readonly sequence: number | null;
}

type TermOf<Kind extends SearchTerm["kind"]> = Extract<SearchTerm, { readonly kind: Kind }>;

const matchers: {
  readonly [Kind in SearchTerm["kind"]]: (term: TermOf<Kind>, facts: SearchFacts) => boolean | null;
} = {
  always: () => true,
  header: () => null,
  key: hasKey,
  text: ({ field, term }, { texts }) => texts[field].includes(term),
  part: ({ part, term }, { fields }) =>
    fields === null ? null : (part === "any" ? fields : partOf(fields, part)).includes(term),
  present: ({ part }, { fields }) => (fields === null ? null : partOf(fields, part) !== ""),
  flag: ({ flag }, { marks }) => marks?.flags.includes(flag) ?? null,
  tagged: (_, facts) => hasTag(facts, { test: () => true, isOfProvider: (tags) => tags !== "" }),
  tag: ({ tag }, facts) =>
    hasTag(facts, { test: (own) => own === tag, isOfProvider: (tags) => tags.includes(wholeValue(tag)) }),
  tagText: ({ term }, facts) =>
    hasTag(facts, { test: (own) => own.includes(term), isOfProvider: (tags) => tags.includes(term) }),
  size: ({ comparison, bytes }, { sizeBytes }) =>
    sizeBytes === null ? null : comparison === "larger" ? sizeBytes > bytes : sizeBytes < bytes,
  // Only an SMS has no raw bytes.
  type: ({ type }, { sizeBytes }) => (sizeBytes === null ? null : (type === "SMS") === (sizeBytes === 0)),
  received: (term, { receivedAt }) => isReceivedWithin(term, receivedAt),
  sequence: ({ ranges }, { sequence }) =>
    sequence === null ? null : ranges.some(([first, last]) => sequence >= first && sequence <= last),
};

/** Returns whether a message meets a term; null when the facts do not decide it. */
export function meetsTerm<Kind extends SearchTerm["kind"]>(term: TermOf<Kind>, facts: SearchFacts): boolean | null {
  return (matchers[term.kind] as (term: TermOf<Kind>, facts: SearchFacts) => boolean | null)(term, facts);
}

/** Returns whether an instant is within the bounds of a term. */
export function isReceivedWithin({ from, before }: TermOf<"received">, receivedAt: number): boolean {
  return (from === null || receivedAt >= from) && (before === null || receivedAt < before);
}

function hasKey({ role, key }: TermOf<"key">, { addresses, labels, marks }: SearchFacts): boolean | null {
  if (role === "from" || role === "to") return addresses[role].includes(key);
  if (labels[role]?.includes(key) === true) return true;
  return role === "tag" ? (marks?.tags.includes(key) ?? null) : false;
}

function hasTag(
  { marks, labels, fields }: SearchFacts,
  {
    test,
    isOfProvider,
  }: { readonly test: (folded: string) => boolean; readonly isOfProvider: (tags: string) => boolean },
): boolean | null {
  const own = [...(labels.tag ?? []), ...(marks?.tags ?? [])].map(foldPart);
  const isFound = own.some(test) || (fields !== null && isOfProvider(partOf(fields, "tag")));
  return isFound || marks !== null ? isFound : null;
}
