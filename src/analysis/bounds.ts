/** Bounds of the analysis; each is named by the abuse that it stops. What lies beyond is left out, never an error. */

/**
 * UTF-16 units of one body that are looked at at all, for links, images, codes, visible text and search: more is a book,
 * or an attack. The body itself stays whole.
 */
export const analysedLengthMax: number = 4 * 1024 * 1024;

/** Links listed of one body: a mail of a million anchors stays a small answer. */
export const linkCountMax = 10_000;

/** Images listed of one body. */
export const imageCountMax = 10_000;

/** UTF-16 units of visible text kept of one body; at the bound the text ends, links and images are still listed. */
export const visibleTextLengthMax = 1_048_576;

/** UTF-16 units of visible text that are searched for codes: no one hides a code behind a book. */
export const codeTextLengthMax = 262_144;

/** Codes listed of one body. */
export const codeCountMax = 100;

/** Candidates that are weighed in one body: a table of a million numbers holds no code. */
export const candidateCountMax = 2000;

/** Open elements that are remembered; deeper ones are read as if they had no end tag. */
export const openElementCountMax = 10_000;

/** Names of elements that are told apart in one body; elements of further ones are read as if they were not there. */
export const elementNameCountMax = 10_000;

/** Attributes of one tag that are remembered; later ones are skipped. */
export const attributeCountMax = 200;

/** UTF-16 units of one address in plain text; longer runs are no link. */
export const textLinkLengthMax = 8192;

/** Characters of a summary. */
export const summaryLengthMax = 200;
