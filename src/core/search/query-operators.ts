/** Operators of search queries: their values, and the expressions that they stand for. */
import { foldAddress, foldText } from "../fold.ts";
import { foldPart, type SearchPart } from "./search-fields.ts";
import { and, not, or, type SearchExpression } from "./search-expression.ts";
import { parseInstant, parseSize, type QueryClock } from "./query-values.ts";

/** Operator with its value, understood. */
export interface OperatorMeaning {
  readonly expression: SearchExpression;
  /** Condition on a message in words, to be shown to users. */
  readonly meaning: string;
}

/** Operator of a query. `read` returns undefined for a value that it does not take, which `takes` describes. */
export interface QueryOperator {
  readonly takes: string;
  /** Whether Mailpit has it too. */
  readonly isMailpit: boolean;
  readonly read: (value: string, clock: QueryClock) => OperatorMeaning | undefined;
}

function inParts(subject: string, parts: readonly SearchPart[], isMailpit: boolean): QueryOperator {
  return {
    takes: "any part of a name or address",
    isMailpit,
    read: (value) => ({
      expression: or(...parts.map((part) => ({ kind: "part" as const, part, term: foldPart(value) }))),
      meaning: `${subject} contains "${value}"`,
    }),
  };
}

function inText(field: "subject" | "body", isMailpit: boolean): QueryOperator {
  return {
    takes: "text",
    isMailpit,
    read: (value) => ({
      expression: { kind: "text", field, term: foldText(value) },
      meaning: `${field} contains "${value}"`,
    }),
  };
}

function oneOf(values: Readonly<Record<string, OperatorMeaning & { readonly isMailpit: boolean }>>): QueryOperator {
  return {
    takes: Object.keys(values).join(", "),
    isMailpit: false,
    read: (value) => values[value.toLowerCase()],
  };
}

const seen: SearchExpression = { kind: "flag", flag: "seen" };
const flag = (
  name: "flagged" | "answered" | "draft" | "deleted",
): OperatorMeaning & { readonly isMailpit: boolean } => ({
  expression: { kind: "flag", flag: name },
  meaning: `is marked as ${name}`,
  isMailpit: false,
});
const attachment = {
  expression: { kind: "present", part: "attachment" },
  meaning: "has an attachment",
  isMailpit: true,
} as const;
const inline = {
  expression: { kind: "present", part: "inline" },
  meaning: "has an inline part",
  isMailpit: true,
} as const;
const code = {
  expression: { kind: "present", part: "code" },
  meaning: "has a one-time code",
  isMailpit: false,
} as const;
const tagged = { expression: { kind: "tagged" }, meaning: "has a tag", isMailpit: true } as const;
const email = { expression: { kind: "type", type: "Email" }, meaning: "is an email", isMailpit: false } as const;
const sms = { expression: { kind: "type", type: "SMS" }, meaning: "is an SMS", isMailpit: false } as const;
const dates = "a date such as 2026-11-20, today, yesterday, or a duration such as 2h or 7d";
const sizes = "a size such as 500, 20k or 1.5M";

/** Operators by name. */
export const queryOperators: Readonly<Record<string, QueryOperator>> = {
  from: inParts("sender", ["from"], true),
  sender: inParts("sender", ["from"], false),
  to: inParts("To", ["to"], true),
  cc: inParts("Cc", ["cc"], true),
  bcc: inParts("Bcc", ["bcc"], true),
  recipient: inParts("a recipient", ["to", "cc", "bcc"], false),
  "reply-to": inParts("Reply-To", ["replyTo"], true),
  addressed: inParts("sender, a recipient or Reply-To", ["from", "to", "cc", "bcc", "replyTo"], true),
  subject: inText("subject", true),
  body: inText("body", false),
  "message-id": inParts("Message-ID", ["messageId"], true),
  filename: inParts("a file name", ["attachment", "inline"], false),
  tag: {
    takes: "a tag",
    isMailpit: true,
    read: (value) => ({ expression: { kind: "tag", tag: foldPart(value) }, meaning: `has the tag "${value}"` }),
  },
  code: { ...inParts("a one-time code", ["code"], false), takes: "a one-time code or a part of it" },
  is: oneOf({
    read: { expression: seen, meaning: "is read", isMailpit: true },
    unread: { expression: not(seen), meaning: "is unread", isMailpit: true },
    tagged,
    flagged: flag("flagged"),
    answered: flag("answered"),
    draft: flag("draft"),
    deleted: flag("deleted"),
    email,
    sms,
  }),
  has: oneOf({
    attachment,
    attachments: attachment,
    inline,
    inlines: inline,
    code,
    codes: code,
    tag: { ...tagged, isMailpit: false },
  }),
  type: oneOf({ email, sms }),
  after: received((at) => ({ from: at, before: null }), "on or after"),
  before: received((at) => ({ from: null, before: at }), "before"),
  larger: size("larger"),
  smaller: size("smaller"),
  number: {
    takes: "a phone number or a part of it",
    isMailpit: false,
    read: (value) => {
      const digits = foldAddress(value).replaceAll(/\D/g, "");
      if (digits === "") return undefined;
      const has = (part: SearchPart): SearchExpression => ({ kind: "part", part, term: digits });
      const expression = and({ kind: "type", type: "SMS" }, or(has("from"), has("to")));
      return { expression, meaning: `is an SMS from or to a number with "${digits}"` };
    },
  },
  provider: {
    takes: "the name of a provider, as in its path",
    isMailpit: false,
    read: (value) => ({
      expression: { kind: "key", role: "provider", key: value.toLowerCase() },
      meaning: `was sent through the API of ${value.toLowerCase()}`,
    }),
  },
};

function received(
  bounds: (at: number) => { readonly from: number | null; readonly before: number | null },
  relation: string,
): QueryOperator {
  return {
    takes: dates,
    isMailpit: true,
    read: (value, clock) => {
      const at = parseInstant(value, clock);
      if (at === undefined) return undefined;
      return { expression: { kind: "received", ...bounds(at) }, meaning: `was received ${relation} ${isoOf(at)}` };
    },
  };
}

/** Largest instant that a date can show. */
const dateMsMax = 8_640_000_000_000_000;

function isoOf(at: number): string {
  return new Date(Math.min(Math.max(at, -dateMsMax), dateMsMax)).toISOString();
}

function size(comparison: "larger" | "smaller"): QueryOperator {
  return {
    takes: sizes,
    isMailpit: true,
    read: (value) => {
      const bytes = parseSize(value);
      if (bytes === undefined) return undefined;
      return { expression: { kind: "size", comparison, bytes }, meaning: `is ${comparison} than ${bytes} bytes` };
    },
  };
}

/** Returns whether an operator and its value mean the same to Mailpit; other words are text to it. */
export function isMailpitOperator(name: string, value: string): boolean {
  if (name !== "is" && name !== "has") return queryOperators[name]?.isMailpit === true;
  const known = { is: ["read", "unread", "tagged"], has: ["attachment", "attachments", "inline", "inlines"] }[name];
  return known.includes(value.toLowerCase());
}
