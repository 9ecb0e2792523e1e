/** Share of finding codes in reading a mail, on prose and on texts of random tokens. */
import { readVisibleText } from "../src/analysis/visible-reader.ts";
import { findCodesOfTexts } from "../src/analysis/codes/find-codes.ts";
import { defaultLimits } from "../src/core/limits.ts";
import { readCheapEmail } from "../src/operations/services/reading/read-email.ts";
import { cheapCodeCandidateMax } from "../src/operations/services/reading/reading-cost.ts";
import { base64, seededRandom, token, word } from "./realistic-mail.ts";
import { median, printTable } from "./report.ts";

const textLength = 26_000;
const lineLength = 100;
const textCount = 8;
const roundCount = 60;

const hexadecimal = "0123456789abcdef";
const capitalsAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

type Random = () => number;

/** Words of each corpus. */
const corpora: Readonly<Record<string, (random: Random) => string>> = {
  prose: word,
  "40 of base64": (random) => token(random, base64, 40),
  "32 of hexadecimal": (random) => token(random, hexadecimal, 32),
  "12 of base64": (random) => token(random, base64, 12),
  "20 capitals and digits": (random) => token(random, capitalsAndDigits, 20),
  "words, tokens, links": (random) => {
    const choice = random();
    if (choice < 0.5) return word(random);
    if (choice < 0.75) return token(random, base64, 22);
    return choice < 0.88 ? `https://t.example/c/${token(random, base64, 60)}` : token(random, hexadecimal, 16);
  },
};

/** Measures each corpus as text and as HTML. */
export function benchCodes(): void {
  const rows: string[][] = [];
  for (const [name, draw] of Object.entries(corpora)) {
    for (const isHtml of [false, true]) {
      const bodies = Array.from({ length: textCount }, (_, seed) => bodyOf(seededRandom(seed + 1), draw, isHtml));
      const texts = bodies.map((body) => (isHtml ? readVisibleText(body) : body));
      rows.push(
        row(
          `${name}, ${isHtml ? "HTML" : "text"}`,
          texts,
          bodies.map((body) => mailOf(body, isHtml)),
        ),
      );
    }
  }
  printTable("Finding codes in reading a mail of 26 kB", ["words", "reading, µs", "of it codes, µs", "share"], rows);
}

function row(name: string, texts: readonly string[], mails: readonly Uint8Array[]): string[] {
  const reading = microseconds(mails, (mail) => readCheapEmail(mail, defaultLimits));
  const codes = microseconds(texts, (text) => findCodesOfTexts([text], cheapCodeCandidateMax));
  return [name, reading.toFixed(0), codes.toFixed(0), `${((codes / reading) * 100).toFixed(0)} %`];
}

function bodyOf(random: Random, draw: (random: Random) => string, isHtml: boolean): string {
  const lines: string[] = [];
  for (let length = 0, line = ""; length < textLength; line += `${draw(random)} `) {
    if (line.length < lineLength) continue;
    lines.push(line);
    length += line.length;
    line = "";
  }
  return isHtml ? `<html><body><p>${lines.join("</p>\r\n<p>")}</p></body></html>` : lines.join("\r\n");
}

function mailOf(body: string, isHtml: boolean): Buffer {
  const fields = [
    "From: A <a@a.example>",
    "To: b@b.example",
    "Subject: x",
    "MIME-Version: 1.0",
    `Content-Type: text/${isHtml ? "html" : "plain"}; charset=utf-8`,
  ];
  return Buffer.from(`${fields.join("\r\n")}\r\n\r\n${body}`);
}

/** Returns the median time of a call, in microseconds, after some that warm up. */
function microseconds<Input>(inputs: readonly Input[], run: (input: Input) => unknown): number {
  const times: number[] = [];
  for (let round = 0; round < roundCount; round++) {
    for (const input of inputs) {
      const startedAt = performance.now();
      run(input);
      if (round > roundCount / 3) times.push((performance.now() - startedAt) * 1000);
    }
  }
  return median(times);
}
