/** Schemas of duplicates; the compiler compares each with its type in `core/duplicates.ts`. */
import {
  duplicateFields,
  type DuplicateDifference,
  type DuplicateGroup,
  type DuplicateMessage,
} from "../../core/duplicates.ts";
import { build, orNull, refer, schemaOf, type WireSchema } from "./schema.ts";

/** Schema of a message of a group. */
export const duplicateMessageSchema: WireSchema<DuplicateMessage> = schemaOf<DuplicateMessage>()(
  build.object(
    {
      id: build.string({ format: "uuid" }),
      received: build.string({ format: "date-time" }),
      messageId: orNull(build.string({ description: "Message-ID with its angle brackets." })),
      delayMs: orNull(
        build.integer({
          description: "Milliseconds since the message of the group before; null for the oldest.",
        }),
      ),
    },
    { $id: "DuplicateMessage" },
  ),
);

/** Schema of a difference within a group. */
export const duplicateDifferenceSchema: WireSchema<DuplicateDifference> = schemaOf<DuplicateDifference>()(
  build.object(
    {
      field: build.enum(duplicateFields),
      values: build.array(orNull(build.string()), {
        description: "Value of each message, in the order of `messages`, shortened to 200 characters.",
      }),
    },
    { $id: "DuplicateDifference" },
  ),
);

/** Schema of a group of duplicates. */
export const duplicateGroupSchema: WireSchema<DuplicateGroup> = schemaOf<DuplicateGroup>()(
  build.object(
    {
      type: build.enum(["Email", "SMS"]),
      subject: build.string({
        description: "Subject of the newest message.",
      }),
      recipients: build.array(build.string(), {
        description: "Addresses or phone numbers that received all messages of the group, in lower case.",
      }),
      count: build.integer({
        minimum: 2,
        description: "Number of messages, including those that are not listed.",
      }),
      messages: build.array(refer(duplicateMessageSchema), {
        description: "The newest 20, newest first.",
      }),
      differences: build.array(refer(duplicateDifferenceSchema), {
        description: "At most 50.",
      }),
    },
    { $id: "DuplicateGroup" },
  ),
);
