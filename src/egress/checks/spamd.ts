/** SpamAssassin over the spamd protocol 1.5. */
import { connect } from "node:net";
import type { SpamVerdict } from "../../core/spam.ts";
import { readSpamdAnswer } from "./spamd-response.ts";

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
  return readSpamdAnswer(await converse(options, [Buffer.from(head, "latin1"), raw]));
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
