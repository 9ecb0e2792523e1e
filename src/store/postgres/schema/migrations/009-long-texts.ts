/**
 * Bodies that are too long to be indexed have an empty text in `indexed_text`; searches find them through this index.
 * Older programs would not find them.
 */
export const longTexts = `
create index indexed_text_long on indexed_text (server_id, epoch, slot) where body = '';
`;
