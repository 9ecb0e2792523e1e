/** Client of SpamAssassin for the spamd protocol 1.5. */
import { connect } from "node:net";
import { noService, ownServiceText, type OwnService } from "../../core/outgoing-target.ts";
import type { SpamVerdict } from "../../core/spam.ts";
import { readSpamdResponse } from "./spamd-response.ts";

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
    signal.addEventListener("abort", () => {
      fail(timeout.aborted ? "did not respond in time" : "is no longer needed");
    });
    socket.on("connect", () => {
      if (own.isOwnListener(socket.remoteAddress ?? "", options.port)) fail(`is not asked: ${ownServiceText}`);
    });
    socket.on("error", (error) => {
      fail(`cannot be reached: ${error.message}`);
    });
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
