/** Explanation of a search that found too little, as the API returns it. */
import { build, orNull, refer, type ValueOf } from "./schema.ts";
import type { MessageId, ServerId } from "./ids.ts";
import { contactSchema } from "./message.ts";

/** Messages that an explanation compares with the criteria, the newest ones. */
export const explainedMessageCountMax = 100;
/** Nearest messages that an explanation names. */
export const nearestMessageCountMax = 5;
/** Time before the start of a search from which arrivals are explained: mail is often sent before the search. */
export const explainedMsBefore = 60_000;
/** Servers, besides that of the search, in which an explanation looks for a match. */
export const otherServerCountMax = 20;
/** UTF-16 units of one value in an explanation. */
export const explainedValueLengthMax = 200;
/** Values of one criterion, and contacts of one field, in an explanation. */
export const explainedValueCountMax = 10;

const text = build.string();
const contacts = build.array(refer(contactSchema));

/** Schema of a criterion that a message does not meet. */
export const failedCriterionSchema = build.object(
  {
    criterion: build.string("Name of the criterion or of the query parameter."),
    expected: build.string("Value that was searched for, shortened."),
    actual: build.array(text, "Values of the message, shortened."),
    hint: orNull(build.string("Difference in words; null when the values have little in common.")),
  },
  { $id: "FailedCriterion" },
);

/** A criterion or a parameter of the search that a message does not meet. */
export type FailedCriterion = ValueOf<typeof failedCriterionSchema>;

/** Schema of a message that a search did not return. */
export const nearMissSchema = build.object(
  {
    id: build.string<MessageId>({ format: "uuid", description: "Id of the message." }),
    server: build.string<ServerId>("The server that holds the message."),
    direction: build.enum(["Received", "Sent"], "Received or sent."),
    received: build.string({ format: "date-time", description: "Instant of receipt, UTC, with milliseconds." }),
    from: contacts,
    to: contacts,
    subject: text,
    failed: build.array(
      refer(failedCriterionSchema),
      "Criteria that the message does not meet, or the parameter that excludes it.",
    ),
  },
  { $id: "NearMiss" },
);

/** Message that a search did not return, and the criteria that it does not meet. */
export type NearMiss = ValueOf<typeof nearMissSchema>;

/** Schema of the reasons for which a search found too little. */
export const searchExplanationSchema = build.object(
  {
    text: build.string("The explanation in a few lines, for the output of a test."),
    since: build.string({ format: "date-time", description: "Instant after which arrivals were compared, UTC." }),
    until: build.string({ format: "date-time", description: "Instant until which arrivals were compared, UTC." }),
    arrived: build.integer("Messages that arrived between these instants, at most 100."),
    hasMore: build.boolean("Whether more messages arrived, which were not compared."),
    nearest: build.array(refer(nearMissSchema), "The nearest messages, at most five."),
  },
  { $id: "SearchExplanation" },
);

/** Reasons for which a search found too little. */
export type SearchExplanation = ValueOf<typeof searchExplanationSchema>;

/** Returns a value as explanations show it: one line, shortened. */
export function explainedValue(value: string): string {
  const line = value.slice(0, 4 * explainedValueLengthMax).replaceAll(/\s+/gu, " ");
  const shown = line.length <= explainedValueLengthMax ? line : `${line.slice(0, explainedValueLengthMax - 1)}…`;
  return shown.toWellFormed();
}
