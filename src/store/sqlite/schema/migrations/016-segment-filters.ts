/**
 * Segments of the text index have filters (`signatures/segment-filter.ts`). Existing segments are dropped; their rows are
 * reclaimed in small steps, and the index is rebuilt in the background.
 */
export const segmentFilters = `
update gram_segment set state = 2;
`;
