/**
 * Segments of the text index contain the search fields of their messages too. Those without them, which an older program
 * built, stay in use for subjects and bodies until the index has built them again, one after the other.
 */
export const indexedFields = `
alter table gram_segment add column has_fields integer not null default 0;
`;
