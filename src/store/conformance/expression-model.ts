/** Random messages and expressions, and the results of their comparison one by one. */
import fc from "fast-check";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { noMarks } from "../../core/marks.ts";
import { evaluate, type SearchExpression, type SearchTerm } from "../../core/search/search-expression.ts";
import { encodeSearchFields, foldPart, searchParts } from "../../core/search/search-fields.ts";
import { meetsTerm } from "../../core/search/term-match.ts";
import type { NewMessage } from "../store.ts";
import { epochMs, type Draft } from "./drafts.ts";

/** Message and the sequence number with which it was stored. */
export interface StoredMessage {
  readonly message: NewMessage;
  readonly sequence: number;
}

/** Returns the messages that match an expression, newest first. */
export function matchesOf(messages: readonly StoredMessage[], expression: SearchExpression): readonly MessageId[] {
  return messages
    .filter(({ message, sequence }) => {
      const { keys, id, marks, raw } = message;
      const facts = {
        addresses: keys,
        labels: keys,
        texts: { subject: keys.subject, body: keys.body.text ?? "" },
        fields: encodeSearchFields(keys.fields),
        marks: marks ?? noMarks,
        sizeBytes: raw.length,
        receivedAt: decodeMessageId(id).receivedAt,
        sequence,
      };
      return evaluate(expression, (term) => meetsTerm(term, facts)) === true;
    })
    .map(({ message }) => message.id)
    .toSorted((a, b) => (a < b ? 1 : -1));
}

const addresses = fc.constantFrom("a@x.test", "b@x.test", "c@x.test");
const words = fc.constantFrom("alpha", "beta", "lpha b", "ß", "a", "確認", "%", "_", "alphabet", "");
const texts = fc.array(words, { maxLength: 4 }).map((parts) => parts.join(" "));
const values = fc.array(fc.constantFrom("alice <a@x.test>", "böb", "100%", "x.pdf", "", "a_b"), { maxLength: 2 });
const tags = fc.constantFrom("Red", "red", "Blue Green", "ÄÖ");
const offsets = fc.integer({ min: 0, max: 60 });

/** Messages in any order, each with an instant of its own. */
export const expressionDrafts: fc.Arbitrary<readonly Draft[]> = fc
  .array(
    fc.record({
      from: fc.uniqueArray(addresses, { maxLength: 2 }),
      to: fc.uniqueArray(addresses, { maxLength: 2 }),
      subject: texts,
      body: texts,
      raw: fc.constantFrom("", "x", "xy".repeat(10)),
      fields: fc.record(Object.fromEntries(searchParts.map((part) => [part, values])), { requiredKeys: [] }),
      tag: fc.uniqueArray(tags, { maxLength: 1 }),
      marks: fc.option(
        fc.record({
          flags: fc.constantFrom([], ["seen" as const], ["seen" as const, "flagged" as const]),
          tags: fc.uniqueArray(tags, { maxLength: 1 }),
        }),
        { nil: undefined },
      ),
    }),
    { minLength: 8, maxLength: 24 },
  )
  .map((drafts) =>
    drafts.map(({ marks, fields, ...draft }, index) => ({
      ...draft,
      at: epochMs + index,
      fields: { ...fields, tag: draft.tag.map(foldPart) },
      ...(marks && { marks }),
    })),
  );

const terms: fc.Arbitrary<SearchTerm> = fc.oneof(
  fc.record({
    kind: fc.constant("key" as const),
    role: fc.constantFrom("from" as const, "to" as const),
    key: addresses,
  }),
  fc.record({ kind: fc.constant("key" as const), role: fc.constant("tag" as const), key: tags }),
  fc.record({
    kind: fc.constant("text" as const),
    field: fc.constantFrom("subject" as const, "body" as const),
    term: words,
  }),
  fc.record({
    kind: fc.constant("text" as const),
    field: fc.constant("body" as const),
    term: words,
  }),
  fc.record({
    kind: fc.constant("part" as const),
    part: fc.constantFrom(...searchParts, "any" as const),
    term: fc.constantFrom("alice", "%", "_", "x.", "böb", "e <a", "a", "ö", "@x", "lic", "absent", ""),
  }),
  fc.record({
    kind: fc.constant("present" as const),
    part: fc.constantFrom("attachment" as const, "inline" as const, "code" as const),
  }),
  fc.record({ kind: fc.constant("flag" as const), flag: fc.constantFrom("seen" as const, "flagged" as const) }),
  fc.constant({ kind: "tagged" as const }),
  fc.record({ kind: fc.constant("tag" as const), tag: fc.constantFrom("red", "äö", "none", "x.pdf") }),
  fc.record({ kind: fc.constant("tagText" as const), term: fc.constantFrom("e", "gree", "ö") }),
  fc.record({
    kind: fc.constant("size" as const),
    comparison: fc.constantFrom("larger" as const, "smaller" as const),
    bytes: fc.constantFrom(0, 1, 19, 20, 1e12),
  }),
  fc.record({
    kind: fc.constant("received" as const),
    from: fc.option(fc.oneof(offsets, fc.constantFrom(-1e15, 1e18, 3.5)).map((offset) => epochMs + offset)),
    before: fc.option(fc.oneof(offsets, fc.constantFrom(-1e15, 1e18, 3.5)).map((offset) => epochMs + offset)),
  }),
  fc.record({ kind: fc.constant("type" as const), type: fc.constantFrom("Email" as const, "SMS" as const) }),
  fc.record({
    kind: fc.constant("sequence" as const),
    ranges: fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 30 })), { maxLength: 3 }),
  }),
  fc.constant({ kind: "always" as const }),
);

/** Expressions of up to three levels. */
export const expressions: fc.Arbitrary<SearchExpression> = fc.letrec<{ expression: SearchExpression }>((tie) => ({
  expression: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    terms,
    fc.array(tie("expression"), { maxLength: 4 }).map((of) => ({ kind: "and" as const, of })),
    fc.array(tie("expression"), { maxLength: 4 }).map((of) => ({ kind: "or" as const, of })),
    tie("expression").map((of) => ({ kind: "not" as const, of })),
  ),
})).expression;
