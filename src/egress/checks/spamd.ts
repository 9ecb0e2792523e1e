/** Client of SpamAssassin for the spamd protocol 1.5. */
import { connect } from "node:net";
import { noService, ownServiceText, type OwnService } from "../../core/outgoing-target.ts";
import type { SpamVerdict, MatchedRule } from "../../core/spam.ts";

/** Address and time-out of spamd. */
export interface SpamdOptions {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  /** Recognition of this service, to which no mail is sent; {@link noService} by default. */
  readonly own?: OwnService;
  /** Ends the check. */
  readonly signal?: AbortSignal | undefined;
}

const responseBytesMax = 1024 * 1024;

/**
 * Sends a mail to spamd and returns its verdict. Rejects with an `Error` that describes the failure: no connection, a
 * time-out, an abort of the signal, an invalid response, or one of more than 1 MiB.
 */
export async function checkWithSpamd(options: SpamdOptions, raw: Uint8Array): Promise<SpamVerdict> {
  options.signal?.throwIfAborted();
  const head = `REPORT SPAMC/1.5\r\nContent-length: ${raw.byteLength}\r\n\r\n`;
  return readSpamdResponse(await converse(options, [Buffer.from(head, "latin1"), raw]));
}

function converse({ own = noService, ...options }: SpamdOptions, request: readonly Uint8Array[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timeout = AbortSignal.timeout(options.timeoutMs);
    const socket = connect({ host: options.host, port: options.port, allowHalfOpen: true });
    const fail = (reason: string): void => {
      socket.destroy();
      reject(new Error(`spamd at ${options.host}:${options.port} ${reason}`));
    };
    const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
    signal.addEventListener("abort", () => fail(timeout.aborted ? "did not respond in time" : "is no longer needed"));
    socket.on("connect", () => {
      if (own.isOwnListener(socket.remoteAddress ?? "", options.port)) fail(`is not asked: ${ownServiceText}`);
    });
    socket.on("error", (error) => fail(`cannot be reached: ${error.message}`));
    socket.on("data", (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > responseBytesMax) fail("sent a response over the size limit");
    });
    socket.on("end", () => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString("utf8"));
    });
    for (const chunk of request) socket.write(chunk);
    socket.end();
  });
}

/**
 * Parses the response to REPORT: a status line, `Spam: True ; 6.1 / 5.0`, and a report that ends with a table of rules.
 * Throws an `Error` for an error status and for an invalid response. Linear in the text.
 */
export function readSpamdResponse(text: string): SpamVerdict {
  const end = text.indexOf("\r\n\r\n");
  const [status = "", ...fields] = text.slice(0, Math.max(0, end)).split("\r\n");
  const [, code, reason] = /^SPAMD\/[\d.]+ (\d+) ?(.*)$/.exec(status) ?? [];
  if (code !== "0") throw new Error(`spamd rejected the mail: ${reason ?? "invalid response"}`);
  const spam = fields
    .map((field) =>
      /^Spam: *(?:True|False|Yes|No) *; *(-?\d{1,9}(?:\.\d{1,9})?) *\/ *(-?\d{1,9}(?:\.\d{1,9})?)/i.exec(field),
    )
    .find((one) => one !== null);
  if (spam === undefined) throw new Error("spamd returned no score");
  return { score: Number(spam?.[1]), threshold: Number(spam?.[2]), rules: readRules(text.slice(end + 4)) };
}

/** Parses the table of a report: score, rule and description, which may continue on the next lines. */
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
