/**
 * Finds messages with an attachment, an inline part or a one-time code: those whose search fields have a value in the seventh,
 * eighth or tenth part, and those with missing or outdated fields, of which it is not known.
 */
export const presentParts: string = `
create index if not exists message_with_attachment on message (server_id, epoch, slot) where ${hasValue(6)};
create index if not exists message_with_inline on message (server_id, epoch, slot) where ${hasValue(7)};
create index if not exists message_with_code on message (server_id, epoch, slot) where ${hasValue(9)};
`;

/** Returns the condition that of ten parts, each with a separator behind it, the one after `count` others has a value. */
function hasValue(count: number): string {
  const pattern = `${"%\u0001".repeat(count)}\n${"%\u0001".repeat(10 - count)}\u0002`;
  return `(fields is null or right(fields, 1) <> chr(2)) or fields like '${pattern}'`;
}
