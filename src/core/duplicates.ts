/** Groups of messages that a person would call the same. */
import { build, orNull, refer, type ValueOf } from "./schema.ts";
import type { MessageId } from "./ids.ts";

/** Fields in which messages of a group may differ. */
export const duplicateFields = ["messageId", "date", "from", "subject", "code", "link", "attachment", "text"] as const;

/** Field in which messages of a group differ. */
export type DuplicateField = (typeof duplicateFields)[number];

/** Schema of a message of a group. */
export const duplicateMessageSchema = build.object(
  {
    id: build.string<MessageId>({ format: "uuid", description: "Id of the message." }),
    received: build.string({ format: "date-time", description: "Instant of receipt, UTC, with milliseconds." }),
    messageId: orNull(build.string("Message-ID with its angle brackets.")),
    delayMs: orNull(build.integer("Milliseconds since the message of the group before; null for the oldest.")),
  },
  { $id: "DuplicateMessage" },
);

/** Schema of a difference within a group. */
export const duplicateDifferenceSchema = build.object(
  {
    field: build.enum(duplicateFields, "Field in which the messages differ."),
    values: build.array(
      orNull(build.string()),
      "Value of each message, in the order of `messages`, shortened to 200 characters.",
    ),
  },
  { $id: "DuplicateDifference" },
);

/** Difference between the messages of a group. */
export type DuplicateDifference = ValueOf<typeof duplicateDifferenceSchema>;

/** Schema of a group of duplicates. */
export const duplicateGroupSchema = build.object(
  {
    type: build.enum(["Email", "SMS"], "E-mail or SMS."),
    subject: build.string("Subject of the newest message."),
    recipients: build.array(
      build.string(),
      "Addresses or phone numbers that received all messages of the group, in lower case.",
    ),
    count: build.integer({ minimum: 2, description: "Number of messages, including those that are not listed." }),
    messages: build.array(refer(duplicateMessageSchema), "The newest 20, newest first."),
    differences: build.array(refer(duplicateDifferenceSchema), "At most 50."),
  },
  { $id: "DuplicateGroup" },
);

/** Messages with the same content for the same recipients. */
export type DuplicateGroup = ValueOf<typeof duplicateGroupSchema>;

/** Messages that a request compares by default, and at most. */
export const comparedMessageCountDefault = 500;
/** Bound of the time and memory of a request. */
export const comparedMessageCountMax = 1000;
/** Bytes of raw mails and details that a request reads. */
export const comparedBytesMax: number = 128 * 1024 * 1024;
/** Time after which a request compares no further messages, in milliseconds. */
export const comparedMsMax = 20_000;
/** Groups in a response. */
export const duplicateGroupCountMax = 100;
/** Messages and differences that are listed of a group. */
export const listedDuplicateCountMax = 20;
/** Differences that are listed of a group. */
export const duplicateDifferenceCountMax = 50;
/** Recipients of a message that are compared; of more, the first in alphabetical order. */
export const comparedRecipientCountMax = 50;
