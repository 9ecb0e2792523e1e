/** Returns a text in base64 or hexadecimal whose first character, and with it the first byte, is another. */
export function alterEncoded(text: string): string {
  return (text.startsWith("A") || text.startsWith("a") ? "B" : "A") + text.slice(1);
}
