/**
 * Bodies that are too long to be indexed have an empty text in `indexed_text`; this index leads a search to them. Programs
 * that know nothing of it would not find them.
 */
export const longTexts = `
create index indexed_text_long on indexed_text (server_id, epoch, slot) where body = '';
`;
