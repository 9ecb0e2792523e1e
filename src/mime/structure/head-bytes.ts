import { readHeaderSection } from "../header-section.ts";
import { isEmptyLine, openSource } from "../source.ts";
import type { MimeLimits } from "../source.ts";

/**
 * Returns the number of bytes of the header section of a mail, with the empty line that ends it; null when the first bytes do
 * not contain that line.
 */
export function headBytes(first: Uint8Array, limits: MimeLimits): number | null {
  const source = openSource(first, limits);
  const { end, bodyStart } = readHeaderSection(source, 0, () => false);
  return bodyStart > end && isEmptyLine(source, end) ? bodyStart : null;
}
