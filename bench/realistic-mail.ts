/** Mail of the ingest benchmarks, about 26 kB, like the output of an application's template engine. */
import { createHash } from "node:crypto";

/** Returns a generator of numbers in [0, 1), deterministic for a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const syllables =
  "ba be bo ca ce co da de di fa fe ga go ha he la le li lo ma me mi na ne no pa pe ra re ri ro sa se si ta te ti to va ve".split(
    " ",
  );

/** Returns a pronounceable word of two to four syllables. */
export function word(random: () => number): string {
  const count = 2 + Math.floor(random() * 3);
  return Array.from({ length: count }, () => syllables[Math.floor(random() * syllables.length)] ?? "").join("");
}

/** Vocabularies of mails: pronounceable words, or words that no other mail has. */
export type Corpus = "prose" | "tokens";

/** Names of the corpora, with which each figure of the performance page is measured. */
export const corpora: readonly Corpus[] = ["prose", "tokens"];

const letters = "abcdefghijklmnopqrstuvwxyz";
/** Alphabet of tokens in links. */
export const base64: string = `${letters}${letters.toUpperCase()}0123456789-_`;

/** Returns a random token of so many characters of an alphabet. */
export function token(random: () => number, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join("");
}

/** Returns letters at random, or one time in four a token as links and hashes have it. */
function unknownWord(random: () => number): string {
  if (random() < 0.25) return token(random, base64, 22);
  return token(random, letters, 3 + Math.floor(random() * 7));
}

const vocabularies: Readonly<Record<Corpus, (random: () => number) => string>> = { prose: word, tokens: unknownWord };

/** Returns words with periodic full stops. */
export function prose(random: () => number, words: number, draw: (random: () => number) => string = word): string {
  return Array.from({ length: words }, (_, at) => draw(random) + (at % 11 === 10 ? "." : "")).join(" ");
}

/**
 * Returns a mail of about 26 kB to one recipient: a tenth text, the rest quoted-printable HTML, fifteen header fields. In the
 * corpus of tokens, links have 60 random characters, and the texts are a third shorter in words.
 */
export function realisticMail(to: string, seed: number, corpus: Corpus = "prose"): Buffer {
  const random = seededRandom(seed);
  const draw = vocabularies[corpus];
  const boundary = `=_${createHash("sha256").update(String(seed)).digest("hex").slice(0, 24)}`;
  const code = String(100_000 + Math.floor(random() * 900_000));
  const fields = [
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=app.example; s=mail;\r\n bh=${"q".repeat(43)}=;\r\n b=${"x".repeat(340)}`,
    "Received: from worker-7.app.example (worker-7.app.example [192.0.2.17])\r\n by out.app.example with ESMTPS id 4XyZ; Fri, 20 Nov 2026 10:42:07 +0000",
    "From: Example App <no-reply@app.example>",
    `To: ${to}`,
    `Subject: ${prose(random, 5, draw)} =?utf-8?Q?=E2=80=93_best=C3=A4tigen?=`,
    `Message-ID: <${String(seed)}.${code}@app.example>`,
    "Date: Fri, 20 Nov 2026 10:42:07 +0000",
    "MIME-Version: 1.0",
    "List-Unsubscribe: <https://app.example/unsubscribe?u=1>",
    "X-Mailer: example-templates 4.2",
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
  ];
  const text = `${prose(random, 160, draw)}\n\nYour code is ${code}.\n\n${prose(random, 130, draw)}\n`
    .replaceAll(". ", ".\n")
    .replaceAll("\n", "\r\n");
  const parts = [
    `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${text}`,
    `Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${quote(html(random, code, corpus))}\r\n`,
  ];
  return Buffer.from(
    `${fields.join("\r\n")}\r\n\r\n${parts.map((part) => `--${boundary}\r\n${part}`).join("")}--${boundary}--\r\n`,
  );
}

/** Returns a mail of about 4 kB of text to one recipient, whose words no other mail has. */
export function shortMail(to: string, seed: number): Buffer {
  const random = seededRandom(seed + 1_000_000);
  const head = `From: Example App <no-reply@app.example>\r\nTo: ${to}\r\nSubject: ${prose(random, 5, unknownWord)}\r\n`;
  return Buffer.from(`${head}\r\n${prose(random, 380, unknownWord).replaceAll(". ", ".\r\n")}\r\n`);
}

/** Returns a mail of about 1 MB: a short text, and one attachment of bytes that do not compress. */
export function mailWithAttachment(to: string, seed: number): Buffer {
  const random = seededRandom(seed + 2_000_000);
  const bytes = Buffer.from(Array.from({ length: 730_000 }, () => Math.floor(random() * 256)));
  const boundary = `=_${String(seed)}`;
  const head =
    `From: Example App <no-reply@app.example>\r\nTo: ${to}\r\nSubject: ${prose(random, 5, unknownWord)}\r\n` +
    `MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n`;
  const text = `--${boundary}\r\nContent-Type: text/plain\r\n\r\n${prose(random, 40, unknownWord)}\r\n`;
  const file =
    `--${boundary}\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n` +
    `Content-Disposition: attachment; filename="report.bin"\r\n\r\n${bytes.toString("base64").replaceAll(/.{76}/g, "$&\r\n")}\r\n`;
  return Buffer.from(`${head}${text}${file}--${boundary}--\r\n`);
}

function html(random: () => number, code: string, corpus: Corpus): string {
  const draw = vocabularies[corpus];
  const linked = (): string => (corpus === "prose" ? word(random) : token(random, base64, 60));
  const [rowCount, wordCount] = corpus === "prose" ? [64, 22] : [52, 16];
  const row = (): string =>
    `<tr><td style="padding:12px 24px;font-family:Arial,sans-serif;font-size:14px;color:#333333">${prose(random, wordCount, draw)} ` +
    `<a href="https://app.example/r/${linked()}?u=${word(random)}">${prose(random, 2, draw)}</a></td></tr>\n`;
  const rows = Array.from({ length: rowCount }, row).join("");
  return (
    `<!doctype html><html><head><title>Bestätigung</title><style>.a{color:#a1b2c3}</style></head><body>` +
    `<table width="100%"><tr><td><img src="https://app.example/logo.png" alt="Example"></td></tr>` +
    `<tr><td><h1>Your code is <b>${code}</b></h1></td></tr>\n${rows}</table></body></html>\n`
  );
}

function quote(text: string): string {
  const encoded = Array.from(Buffer.from(text), (byte) =>
    (byte >= 32 && byte <= 126 && byte !== 61) || byte === 10
      ? String.fromCharCode(byte)
      : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`,
  ).join("");
  return encoded
    .split("\n")
    .map((line) => line.replaceAll(/(?:[^=]|=..){1,72}(?=(?:[^=]|=..))/g, "$&=\r\n"))
    .join("\r\n");
}
