/** Limits of the analysis, with the abuse that each prevents. Content beyond a limit is omitted and is not an error. */

/** Links listed of one body, so that a mail with a million anchors gives a small response. */
export const linkCountMax = 10_000;

/** Images listed of one body. */
export const imageCountMax = 10_000;

/**
 * UTF-16 code units of visible text that are retained of one body; links and images after the limit are still listed.
 */
export const visibleTextLengthMax = 1_048_576;

/** UTF-16 code units of visible text that are searched for codes. */
export const codeTextLengthMax = 262_144;

/** Codes listed of one body. */
export const codeCountMax = 100;

/** Candidates that are evaluated in one body: a table of a million numbers contains no code. */
export const candidateCountMax = 2000;

/** Open elements that are tracked; deeper ones are treated as if they had no end tag. */
export const openElementCountMax = 10_000;

/** Names of elements that are tracked in one body beside those of HTML; elements with further names are ignored. */
export const elementNameCountMax = 10_000;

/** Attributes of one tag that are read; later ones are skipped. */
export const attributeCountMax = 200;

/** Classes of one element, and declarations of one `style` attribute, that are compared; later ones are skipped. */
export const attributeItemCountMax = 5000;

/** Lines of a reply that are divided into its own text, quotations and signature; later ones are left out of all three. */
export const replyLineCountMax = 100_000;

/** UTF-16 code units of one address in plain text; longer runs are not links. */
export const textLinkLengthMax = 8192;

/** Characters of a summary. */
export const summaryLengthMax = 200;
