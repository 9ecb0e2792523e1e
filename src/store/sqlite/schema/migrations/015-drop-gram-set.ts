/** Drops the table of the index format before signatures, whose rows belong to dropped segments. */
export const dropGramSet = `
drop table gram_set;
`;
