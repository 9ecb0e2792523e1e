import { parseMail, type Mail } from "../../mime/parse-mail.ts";

/** Largest header section that is read; the mail itself is stored unchanged. */
const headerBytesMax = 64 * 1024;
const limits = { headerBytesMax, headerCountMax: 1000, partCountMax: 1, partDepthMax: 1 };

/** Returns what the header section of a whole mail says, for mails that are stored as they are; its bodies are not read. */
export function readMailHeader(raw: Uint8Array): Mail {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, headerBytesMax));
  const ends = [start.indexOf("\r\n\r\n"), start.indexOf("\n\n")].filter((end) => end !== -1);
  return parseMail(start.subarray(0, Math.min(start.byteLength, ...ends.map((end) => end + 2))), limits);
}
