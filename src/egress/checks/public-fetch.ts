/** The only way in which the service asks anything on the web that a mail names. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isPublicAddress } from "../../core/ip-address.ts";
import { pinnedLookup } from "../pinned-lookup.ts";
import { resolveHost, untilAborted } from "../resolve-host.ts";

/** Bounds of one question, and what tests put in the place of the world. */
export interface PublicFetchOptions {
  /** For all redirects together. */
  readonly timeoutMs: number;
  readonly redirectCountMax: number;
  /** Returns the addresses of a host; {@link resolveHost} by default. */
  readonly resolve?: typeof resolveHost;
  /** Whether an address may be asked; {@link isPublicAddress} unless said otherwise. */
  readonly isAllowed?: (address: string) => boolean;
  /** Ports that may be asked; 80 and 443 unless said otherwise. */
  readonly ports?: readonly number[];
}

/** Why an address was not asked, or did not answer; the message is fit for users. */
export class FetchRefused extends Error {
  override readonly name: string = "FetchRefused";
}

const headerBytesMax = 16 * 1024;
const urlLengthMax = 8192;

/**
 * The status that a URL answers to HEAD (GET where HEAD is not known), redirects followed. A host is resolved once, every
 * one of its addresses must be allowed, and the connection goes to the very address that was looked at; each redirect
 * starts anew. No byte of a body is read, no cookie, credential or header of ours goes along. Rejects with
 * {@link FetchRefused}.
 */
export async function fetchStatus(url: string, options: PublicFetchOptions): Promise<number> {
  const signal = AbortSignal.timeout(options.timeoutMs);
  let target = readUrl(url, options);
  for (let step = 0; step <= options.redirectCountMax; step += 1) {
    const answer = await askOnce(target, { ...options, signal });
    if (answer.location === null) return answer.status;
    target = readUrl(URL.parse(answer.location, target)?.href ?? "", options);
  }
  throw new FetchRefused("It redirects too often");
}

interface Answer {
  readonly status: number;
  readonly location: string | null;
}

type Asking = PublicFetchOptions & { readonly signal: AbortSignal };

async function askOnce(target: URL, options: Asking): Promise<Answer> {
  const address = await pinAddress(target, options);
  const answer = await send("HEAD", { target, address, signal: options.signal });
  if (answer.status !== 405 && answer.status !== 501) return answer;
  return send("GET", { target, address, signal: options.signal });
}

function readUrl(text: string, { ports = [80, 443] }: PublicFetchOptions): URL {
  const url = text.length > urlLengthMax ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new FetchRefused("It is no address on the web");
  if (url.username !== "" || url.password !== "") throw new FetchRefused("It carries a user name or password");
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  if (!ports.includes(port)) throw new FetchRefused(`Port ${port} is not asked`);
  return url;
}

async function pinAddress(target: URL, options: Asking): Promise<string> {
  const { resolve = resolveHost, isAllowed = isPublicAddress, signal } = options;
  const host = target.hostname.replace(/^\[|\]$/g, "");
  const addresses = await untilAborted(signal, resolve(host, signal)).catch(() => {
    // The cause of a failed look-up is DNS; users need no more.
    throw new FetchRefused(signal.aborted ? "It does not answer in time" : "Its host has no address");
  });
  const [first] = addresses;
  if (first === undefined) throw new FetchRefused("Its host has no address");
  if (!addresses.every((address) => isAllowed(address))) {
    throw new FetchRefused("Its host is outside of the public Internet");
  }
  return first;
}

interface Sending {
  readonly target: URL;
  readonly address: string;
  readonly signal: AbortSignal;
}

function send(method: string, { target, address, signal }: Sending): Promise<Answer> {
  const options: RequestOptions = {
    method,
    signal,
    agent: false,
    maxHeaderSize: headerBytesMax,
    headers: { "user-agent": "restante link check", accept: "*/*" },
    // What was looked at is what is asked: nobody resolves the name a second time.
    lookup: pinnedLookup(address),
  };
  return new Promise((resolve, reject) => {
    const ask = target.protocol === "https:" ? httpsRequest : httpRequest;
    const request = ask(target, options, (response) => {
      response.destroy();
      resolve(toAnswer(response));
    });
    request.on("error", (error) => {
      reject(
        new FetchRefused(signal.aborted ? "It does not answer in time" : `It does not answer: ${reasonOf(error)}`),
      );
    });
    request.end();
  });
}

function toAnswer({ statusCode = 0, headers }: IncomingMessage): Answer {
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode) && headers.location !== undefined;
  return { status: statusCode, location: isRedirect ? (headers.location ?? null) : null };
}

function reasonOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}
