/** Longest line of an export: a mail of 50 MB and all that is shown of it, and little less than the longest text there is. */
export const lineBytesMax: number = 480 * 1024 * 1024;
