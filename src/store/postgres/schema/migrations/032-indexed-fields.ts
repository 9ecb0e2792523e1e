/**
 * Segments of the text index contain the search fields of their messages too. Those without them, which an older program
 * built, stay in use for subjects and bodies until the index has built them again, one after the other.
 */
export const indexedFields = `
alter table text_segment add column if not exists has_fields boolean not null default false;
`;
