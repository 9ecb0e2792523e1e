/** Search fields in the normal form of the third version, with both forms of a domain. */
export const normalForm: string = indexesOfVersion(3);

/**
 * Returns the statements that follow a version of search fields of ten parts: the indexes of messages whose fields are outdated,
 * or have a value in a part, name the version. Segments of the text index count as without fields until they are built again.
 */
export function indexesOfVersion(version: number): string {
  return `
drop index if exists message_with_outdated_fields;
create index message_with_outdated_fields on message (id) where fields is null or right(fields, 1) <> chr(${version});
drop index if exists message_with_attachment;
create index message_with_attachment on message (server_id, epoch, slot) where ${hasValue(6, version)};
drop index if exists message_with_inline;
create index message_with_inline on message (server_id, epoch, slot) where ${hasValue(7, version)};
drop index if exists message_with_code;
create index message_with_code on message (server_id, epoch, slot) where ${hasValue(9, version)};
update text_segment set has_fields = false;
`;
}

/** Returns the condition that of ten parts, each with a separator behind it, the one after `count` others has a value. */
function hasValue(count: number, version: number): string {
  const pattern = `${"%\u0001".repeat(count)}\n${"%\u0001".repeat(10 - count)}${String.fromCharCode(version)}`;
  return `(fields is null or right(fields, 1) <> chr(${version})) or fields like '${pattern}'`;
}
