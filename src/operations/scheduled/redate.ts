/** Header fields that precede the Date field of a composed mail. */
const searchedBytesMax = 256 * 1024;
/** Date of a composed mail; its length is the same for every instant of four-digit years. */
const dateField = /(?:^|\n)Date: ([A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} \+0000)\r\n/;

/** Returns a composed mail with another instant in its Date field; the other bytes stay as they are. */
export function redate(raw: Uint8Array, instant: number): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const found = dateField.exec(bytes.toString("latin1", 0, searchedBytesMax));
  const [field, present] = found ?? [];
  const date = new Date(instant).toUTCString().replace("GMT", "+0000");
  if (found === null || field === undefined || present === undefined || date.length !== present.length) return raw;
  if (date === present) return raw;
  const changed = Buffer.from(bytes);
  changed.write(date, found.index + field.indexOf(present), "latin1");
  return changed;
}
