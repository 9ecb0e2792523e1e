/** Texts of others on a terminal. */

/**
 * Returns a text with escapes (`\u009b`) in place of control characters other than line ends and tabs, which could start
 * terminal sequences, and of characters that change the direction of writing. JSON has the same meaning afterwards.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(
    /[^\P{Cc}\t\n\r]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
