/**
 * Segments of the text index contain signatures (pages as `signatures/segment-layout.ts` describes them) instead of sorted
 * grams. Existing segments are dropped; their rows are reclaimed in small steps, and the index is rebuilt in the background.
 * `gram_set` gets no new rows.
 */
export const signatures = `
update gram_segment set state = 2;
`;
