/** Files of reports in mails. */
import { crc32, deflateRawSync } from "node:zlib";

/** Returns a ZIP archive with one entry; `statedBytes` is the size that it states, by default the true one. */
export function zipOf(name: string, content: Buffer, statedBytes: number = content.length): Buffer {
  const packed = deflateRawSync(content);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(statedBytes, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, Buffer.from(name), packed]);
  const directory = Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\0"), common, Buffer.alloc(14), Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, directory, end]);
}

/** A file of a mail. */
interface MailFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** Returns base64 in lines. */
export const base64 = (bytes: Buffer): string => bytes.toString("base64").replaceAll(/.{76}/g, "$&\r\n");

/** Returns a mail with a file after a text, or as its whole body where the text is null. */
export function mailWithFile(
  { name, type, bytes }: MailFile,
  text: string | null,
  fields: readonly string[] = [],
): string {
  const header = ["From: reports@receiver.example", "To: dmarc@shop.example", "MIME-Version: 1.0", ...fields];
  const file = [
    `Content-Type: ${type}; name="${name}"`,
    `Content-Disposition: attachment; filename="${name}"`,
    "Content-Transfer-Encoding: base64",
    "",
    base64(bytes),
  ];
  if (text === null) return [...header, ...file].join("\r\n");
  return [
    ...header,
    'Content-Type: multipart/mixed; boundary="b1"',
    "",
    "--b1",
    "Content-Type: text/plain; charset=us-ascii",
    "",
    text,
    "--b1",
    ...file,
    "--b1--",
    "",
  ].join("\r\n");
}
