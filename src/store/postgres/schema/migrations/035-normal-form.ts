/**
 * Search fields in the normal form of the third version, with both forms of a domain: the indexes of messages whose fields are
 * outdated, or have a value in a part, name the version. Segments of the text index count as without fields until they are
 * built again.
 */
export const normalForm: string = `
drop index if exists message_with_outdated_fields;
create index message_with_outdated_fields on message (id) where fields is null or right(fields, 1) <> chr(3);
drop index if exists message_with_attachment;
create index message_with_attachment on message (server_id, epoch, slot) where ${hasValue(6)};
drop index if exists message_with_inline;
create index message_with_inline on message (server_id, epoch, slot) where ${hasValue(7)};
drop index if exists message_with_code;
create index message_with_code on message (server_id, epoch, slot) where ${hasValue(9)};
update text_segment set has_fields = false;
`;

/** Returns the condition that of ten parts, each with a separator behind it, the one after `count` others has a value. */
function hasValue(count: number): string {
  const pattern = `${"%\u0001".repeat(count)}\n${"%\u0001".repeat(10 - count)}\u0003`;
  return `(fields is null or right(fields, 1) <> chr(3)) or fields like '${pattern}'`;
}
