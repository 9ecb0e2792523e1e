import { defaultLimits } from "../core/limits.ts";
import { readHeaderSection } from "./header-section.ts";
import { openSource } from "./source.ts";

/**
 * Returns a mail whose Message-ID field has this value, as mail providers set it; the field is added before the others where
 * there is none. `messageId` has its angle brackets. All other bytes are unchanged.
 */
export function withMessageId(raw: Uint8Array, messageId: string): Uint8Array {
  const source = openSource(raw, defaultLimits);
  const { fields } = readHeaderSection(source, 0, () => false);
  const field = fields.find(({ name }) => name.toLowerCase() === "message-id");
  if (field === undefined) return Buffer.concat([Buffer.from(`Message-ID: ${messageId}\r\n`), source.raw]);
  const { valueStart, valueEnd } = field;
  const value = Buffer.from(` ${messageId}`);
  return Buffer.concat([source.raw.subarray(0, valueStart), value, source.raw.subarray(valueEnd)]);
}
