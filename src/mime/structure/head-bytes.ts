import { readHeaderSection } from "../header-section.ts";
import { isEmptyLine, openSource } from "../source.ts";
import type { MimeLimits } from "../source.ts";

/**
 * Returns the size of a mail's header section in bytes, with the empty line that ends it; null when the first bytes do
 * not contain that line.
 */
export function headBytes(first: Uint8Array, limits: MimeLimits): number | null {
  const source = openSource(first, limits);
  const { end, bodyStart } = readHeaderSection(source, 0, () => false);
  return bodyStart > end && isEmptyLine(source, end) ? bodyStart : null;
}
