import { realisticMail, seededRandom, word } from "./realistic-mail.ts";

/** Flood of mails of one kind. */
export interface FloodShape {
  readonly name: string;
  readonly mails: number;
  readonly senders: number;
  /** Returns the mail with a number. */
  readonly mail: (number: number) => Buffer;
}

/** Floods whose memory differs: by the size of mails, of their vocabulary and of their part tree, and by connections. */
export const floodShapes: readonly FloodShape[] = [
  { name: "1 kB of text", mails: 20_000, senders: 20, mail: mailsOf(64, (seed) => textMail(seed, 1000)) },
  {
    name: "26 kB, over 100 connections",
    mails: 20_000,
    senders: 100,
    mail: mailsOf(64, (seed) => realisticMail("reader@app.example", seed)),
  },
  {
    name: "10 kB of tokens that no other mail has",
    mails: 2000,
    senders: 20,
    mail: (seed) => tokenMail(seed, 10_000),
  },
  {
    name: "50 attachments of 1 kB",
    mails: 6000,
    senders: 20,
    mail: mailsOf(16, (seed) => attachmentMail(seed, 50, 1000)),
  },
  { name: "1 MB of text", mails: 600, senders: 20, mail: mailsOf(8, (seed) => textMail(seed, 1_000_000)) },
  {
    name: "1 MB of one attachment",
    mails: 600,
    senders: 20,
    mail: mailsOf(8, (seed) => attachmentMail(seed, 1, 730_000)),
  },
];

/** Returns mails of a stock in turn. */
function mailsOf(count: number, mail: (seed: number) => Buffer): (number: number) => Buffer {
  const stock = Array.from({ length: count }, (_, seed) => mail(seed));
  return (number) => stock[number % count] ?? Buffer.alloc(0);
}

function textMail(seed: number, bytes: number): Buffer {
  const random = seededRandom(seed);
  return Buffer.from(`${head(seed)}\r\n${linesOf(() => word(random), bytes)}`);
}

function tokenMail(seed: number, bytes: number): Buffer {
  return Buffer.from(`${head(seed)}\r\n${tokens(seed, bytes)}`);
}

function attachmentMail(seed: number, count: number, bytes: number): Buffer {
  const parts = Array.from({ length: count }, (_, at) => {
    const content = Buffer.from(tokens(seed * 64 + at, bytes)).toString("base64");
    return (
      `--b\r\nContent-Type: text/csv; name=f${String(at)}.csv\r\nContent-Transfer-Encoding: base64\r\n` +
      `Content-Disposition: attachment; filename=f${String(at)}.csv\r\n\r\n${content.replaceAll(/.{76}/g, "$&\r\n")}\r\n`
    );
  });
  return Buffer.from(
    `${head(seed)}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee the files.\r\n${parts.join("")}--b--\r\n`,
  );
}

function head(seed: number): string {
  return `From: no-reply@app.example\r\nTo: reader@app.example\r\nSubject: Flood ${String(seed)}\r\nMIME-Version: 1.0\r\n`;
}

function tokens(seed: number, bytes: number): string {
  const random = seededRandom(seed);
  return linesOf(
    () =>
      random()
        .toString(36)
        .slice(2, 4 + Math.floor(random() * 8)),
    bytes,
  );
}

/** Returns words in lines of 70 characters. */
function linesOf(next: () => string, bytes: number): string {
  const lines: string[] = [];
  for (let size = 0; size < bytes; size += lines.at(-1)?.length ?? 0) {
    let line = next();
    while (line.length < 70) line += ` ${next()}`;
    lines.push(line);
  }
  return `${lines.join("\r\n")}\r\n`;
}
