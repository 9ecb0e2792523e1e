/**
 * Segments of the index of texts hold signatures (pages as `signatures/segment-layout.ts` describes them) instead of
 * sorted grams. Those that are there are given up; their rows are reclaimed in small steps, and the index is made anew
 * behind. `gram_set` gets no rows any more.
 */
export const signatures = `
update gram_segment set state = 2;
`;
