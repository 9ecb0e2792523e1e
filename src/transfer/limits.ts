/** Longest line of an export in bytes: enough for a mail of 50 MB, and just below the longest string of V8. */
export const lineBytesMax: number = 480 * 1024 * 1024;
