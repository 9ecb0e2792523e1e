/** The only way in which the service posts to targets that account keys name. */
import { lookup as systemLookup } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import type { TargetPolicy, TargetUse } from "../core/outgoing-target.ts";
import { DeliveryFailure } from "./delivery-failure.ts";
import { pinnedLookup } from "./pinned-lookup.ts";

/** A form on its way to a target. */
export interface FormPost {
  readonly url: string;
  readonly use: TargetUse;
  /** `application/x-www-form-urlencoded`. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the answer's body that are read; the rest is not. */
  readonly answerBytesMax: number;
}

/** Policy and resolver of calls. */
export interface PostRules {
  readonly policy: TargetPolicy;
  /** Returns the addresses of a host; DNS unless said otherwise. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/** Status and start of the body of an answer. */
export interface FormAnswer {
  readonly status: number;
  readonly body: string;
}

const timeoutMs = 15_000;
const headerBytesMax = 16 * 1024;

/**
 * Posts a form. The target is judged by the policy at every call: the URL, then every address that its host has; the
 * connection goes to an address that was judged, so that a second answer of the DNS changes nothing. No redirect is
 * followed. Rejects with {@link DeliveryFailure}: for good where the policy refuses, to be tried again where no answer
 * comes within 15 s.
 */
export async function postForm(post: FormPost, rules: PostRules): Promise<FormAnswer> {
  const refusal = rules.policy.refuseUrl(post.url, post.use);
  if (refusal !== null) throw failure(refusal, true);
  const signal = AbortSignal.timeout(timeoutMs);
  const target = new URL(post.url);
  const address = await judgedAddress(target, rules, signal);
  try {
    return await send(post, { target, address, signal });
  } catch (error) {
    throw failure("The target could not be reached", false, error);
  }
}

async function judgedAddress(target: URL, rules: PostRules, signal: AbortSignal): Promise<string> {
  const { policy, resolve = resolveHere } = rules;
  const addresses = await within(signal, resolve(target.hostname.replace(/^\[|\]$/g, ""))).catch((error: unknown) => {
    throw failure("The target's host has no address", false, error);
  });
  for (const address of addresses) {
    const refusal = policy.refuseAddress(target.href, address);
    if (refusal !== null) throw failure(refusal, true);
  }
  const [first] = addresses;
  if (first === undefined) throw failure("The target's host has no address", false);
  return first;
}

async function resolveHere(host: string): Promise<readonly string[]> {
  return (await systemLookup(host, { all: true })).map(({ address }) => address);
}

interface Sending {
  readonly target: URL;
  readonly address: string;
  readonly signal: AbortSignal;
}

function send({ body, headers, answerBytesMax }: FormPost, { target, address, signal }: Sending): Promise<FormAnswer> {
  const options: RequestOptions = {
    method: "POST",
    signal,
    agent: false,
    maxHeaderSize: headerBytesMax,
    headers: {
      ...headers,
      "content-type": "application/x-www-form-urlencoded",
      "content-length": Buffer.byteLength(body),
      "user-agent": "restante",
      accept: "application/json",
    },
    lookup: pinnedLookup(address),
  };
  return new Promise((resolve, reject) => {
    const ask = target.protocol === "https:" ? httpsRequest : httpRequest;
    const request = ask(target, options, (response) => {
      resolve(readAnswer(response, answerBytesMax));
    });
    request.on("error", reject);
    request.end(body);
  });
}

async function readAnswer(response: IncomingMessage, bytesMax: number): Promise<FormAnswer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (bytesMax > 0) {
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= bytesMax) break;
    }
  }
  response.destroy();
  const body = Buffer.concat(chunks).subarray(0, bytesMax).toString("utf8");
  return { status: response.statusCode ?? 0, body };
}

async function within<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const onAbort = (): void => {
    late.reject(signal.reason);
  };
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function failure(text: string, isFinal: boolean, cause?: unknown): DeliveryFailure {
  return new DeliveryFailure(text, { stage: "connect", replyCode: null, isOurRefusal: isFinal }, cause);
}
