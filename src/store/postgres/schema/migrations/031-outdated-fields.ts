/**
 * Finds messages without search fields, or with those of an older program, which had no codes. Empty when they have been filled
 * in.
 */
export const outdatedFields = `
drop index if exists message_without_fields;
create index if not exists message_with_outdated_fields on message (id) where fields is null or right(fields, 1) <> chr(2);
`;
