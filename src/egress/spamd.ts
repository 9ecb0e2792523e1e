/** SpamAssassin over the spamd protocol 1.5. */
import { connect } from "node:net";
import type { MatchedRule, SpamVerdict } from "../core/spam.ts";

/** Where spamd listens, and how long it may take. */
export interface SpamdOptions {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
}

const answerBytesMax = 1024 * 1024;

/**
 * Has spamd judge a mail. Rejects with a plain `Error` that says what went wrong: nobody listens, no answer in time, an
 * answer that is none, or more than 1 MiB of it.
 */
export async function askSpamd(options: SpamdOptions, raw: Uint8Array): Promise<SpamVerdict> {
  const head = `REPORT SPAMC/1.5\r\nContent-length: ${raw.byteLength}\r\n\r\n`;
  return readAnswer(await converse(options, [Buffer.from(head, "latin1"), raw]));
}

function converse(options: SpamdOptions, request: readonly Uint8Array[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const signal = AbortSignal.timeout(options.timeoutMs);
    const socket = connect({ host: options.host, port: options.port, allowHalfOpen: true });
    const fail = (reason: string): void => {
      socket.destroy();
      reject(new Error(`spamd at ${options.host}:${options.port} ${reason}`));
    };
    signal.addEventListener("abort", () => {
      fail("did not answer in time");
    });
    socket.on("error", (error) => {
      fail(`cannot be asked: ${error.message}`);
    });
    socket.on("data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > answerBytesMax) fail("answers without end");
    });
    socket.on("end", () => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString("utf8"));
    });
    for (const piece of request) socket.write(piece);
    socket.end();
  });
}

function readAnswer(text: string): SpamVerdict {
  const end = text.indexOf("\r\n\r\n");
  const [status = "", ...fields] = text.slice(0, Math.max(0, end)).split("\r\n");
  const [, code, word] = /^SPAMD\/[\d.]+ (\d+) ?(.*)$/.exec(status) ?? [];
  if (code !== "0") throw new Error(`spamd refused the mail: ${word ?? "its answer is no answer of spamd"}`);
  const spam = fields
    .map((field) => /^Spam: *(?:True|False|Yes|No) *; *(-?[\d.]+) *\/ *(-?[\d.]+)/i.exec(field))
    .find((one) => one !== null);
  if (spam === undefined) throw new Error("spamd gave no score");
  return { score: Number(spam?.[1]), threshold: Number(spam?.[2]), rules: readRules(text.slice(end + 4)) };
}

/** The table of a report: score, rule and description, which goes on in the lines below where it is long. */
function readRules(report: string): readonly MatchedRule[] {
  const lines = report.split(/\r?\n/);
  const start = lines.findLastIndex((line) => /^-{4} -{10,} -{10,}\s*$/.test(line));
  const rules: { rule: string; score: number; description: string }[] = [];
  for (const line of start < 0 ? [] : lines.slice(start + 1)) {
    const [, score, rule = "", description = ""] = /^ *(-?\d+(?:\.\d+)?) +([A-Z0-9_]+)(?: +(.*))?$/.exec(line) ?? [];
    const last = rules.at(-1);
    if (score !== undefined) rules.push({ rule, score: Number(score), description: description.trim() || rule });
    else if (last !== undefined && /^ {10,}\S/.test(line)) last.description += ` ${line.trim()}`;
    else if (last !== undefined) break;
  }
  return rules.toSorted((one, other) => other.score - one.score);
}
