/**
 * Finds messages without search fields, or with those of an older program, which had no codes. Empty when they have been filled
 * in.
 */
export const outdatedFields = `
drop index if exists subject_without_fields;
create index if not exists subject_with_outdated_fields on subject (id) where fields is null or substr(fields, -1) <> char(2);
`;
