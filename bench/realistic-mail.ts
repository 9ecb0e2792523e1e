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

/** Returns words with periodic full stops. */
export function prose(random: () => number, words: number): string {
  return Array.from({ length: words }, (_, at) => word(random) + (at % 11 === 10 ? "." : "")).join(" ");
}

/** Returns a mail to one recipient: 2 kB of text, 21 kB of quoted-printable HTML, fifteen header fields. */
export function realisticMail(to: string, seed: number): Buffer {
  const random = seededRandom(seed);
  const boundary = `=_${createHash("sha256").update(String(seed)).digest("hex").slice(0, 24)}`;
  const code = String(100_000 + Math.floor(random() * 900_000));
  const fields = [
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=app.example; s=mail;\r\n bh=${"q".repeat(43)}=;\r\n b=${"x".repeat(340)}`,
    "Received: from worker-7.app.example (worker-7.app.example [192.0.2.17])\r\n by out.app.example with ESMTPS id 4XyZ; Fri, 20 Nov 2026 10:42:07 +0000",
    "From: Example App <no-reply@app.example>",
    `To: ${to}`,
    `Subject: ${prose(random, 5)} =?utf-8?Q?=E2=80=93_best=C3=A4tigen?=`,
    `Message-ID: <${String(seed)}.${code}@app.example>`,
    "Date: Fri, 20 Nov 2026 10:42:07 +0000",
    "MIME-Version: 1.0",
    "List-Unsubscribe: <https://app.example/unsubscribe?u=1>",
    "X-Mailer: example-templates 4.2",
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
  ];
  const text = `${prose(random, 160)}\n\nYour code is ${code}.\n\n${prose(random, 130)}\n`
    .replaceAll(". ", ".\n")
    .replaceAll("\n", "\r\n");
  const parts = [
    `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${text}`,
    `Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${quote(html(random, code))}\r\n`,
  ];
  return Buffer.from(
    `${fields.join("\r\n")}\r\n\r\n${parts.map((part) => `--${boundary}\r\n${part}`).join("")}--${boundary}--\r\n`,
  );
}

function html(random: () => number, code: string): string {
  const row = (): string =>
    `<tr><td style="padding:12px 24px;font-family:Arial,sans-serif;font-size:14px;color:#333333">${prose(random, 22)} ` +
    `<a href="https://app.example/r/${word(random)}?u=${word(random)}">${prose(random, 2)}</a></td></tr>\n`;
  const rows = Array.from({ length: 64 }, row).join("");
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
