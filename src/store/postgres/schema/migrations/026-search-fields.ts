/**
 * Names, addresses, ids and file names of messages for searches (`core/search/search-fields.ts`), and the size of their raw
 * bytes. Null for messages that an older program stored.
 */
export const searchFields = `
alter table message add column fields text collate "C", add column size integer;
`;
