/** Drops the table of the index format before signatures; what it still held belonged to segments to be reclaimed. */
export const dropGramSet = `
drop table gram_set;
`;
