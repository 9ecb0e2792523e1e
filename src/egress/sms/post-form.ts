/** The only client for POST requests to targets that users name. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import type { TargetPolicy } from "../../core/outgoing-target.ts";
import { loopFields } from "../../core/request-hops.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import { resolveHost, untilAborted, pinnedLookup } from "../resolve-host.ts";

/** Form to post. */
export interface FormPost {
  readonly url: string;
  /** Origins that need no permission of the operator; null for none. */
  readonly ownOrigins: RegExp | null;
  /** `application/x-www-form-urlencoded`. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the response's body that are read. */
  readonly responseBytesMax: number;
}

/** Policy and resolver of requests. */
export interface PostRules {
  readonly policy: TargetPolicy;
  /** Ends requests, which then fail temporarily. */
  readonly signal?: AbortSignal;
  /** Returns the addresses of a host; {@link resolveHost} by default. */
  readonly resolve?: typeof resolveHost;
}

/** Status of a response, and the start of its body. */
export interface FormResponse {
  readonly status: number;
  /** Value of Content-Type; "" without one. */
  readonly contentType: string;
  readonly body: string;
}

const timeoutMs = 15_000;
const headerBytesMax = 16 * 1024;

/**
 * Posts a form. The policy checks the target of every request: the URL, then every address of its host. The connection goes
 * to a checked address, so that a second DNS response changes nothing. Redirects are not followed. Rejects with
 * {@link DeliveryFailure}: permanent where the policy refuses, temporary without a response within 15 s.
 */
export async function postForm(post: FormPost, rules: PostRules): Promise<FormResponse> {
  const refusal = rules.policy.refuseUrl(post.url, post.ownOrigins);
  if (refusal !== null) throw failure(refusal, true);
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = rules.signal === undefined ? timeout : AbortSignal.any([timeout, rules.signal]);
  const target = new URL(post.url);
  const address = await checkedAddress(target, rules, signal);
  try {
    return await send(post, { target, address, signal });
  } catch (error) {
    throw failure("The target could not be reached", false, error);
  }
}

async function checkedAddress(target: URL, rules: PostRules, signal: AbortSignal): Promise<string> {
  const { policy, resolve = resolveHost } = rules;
  const addresses = await untilAborted(signal, resolve(hostOf(target), signal)).catch((error: unknown) => {
    throw failure("The target's host name does not resolve", false, error);
  });
  for (const address of addresses) {
    const refusal = policy.refuseAddress(target.href, address);
    if (refusal !== null) throw failure(refusal, true);
  }
  const [first] = addresses;
  if (first === undefined) throw failure("The target's host name does not resolve", false);
  return first;
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

interface Sending {
  readonly target: URL;
  readonly address: string;
  readonly signal: AbortSignal;
}

function send(
  { body, headers, responseBytesMax }: FormPost,
  { target, address, signal }: Sending,
): Promise<FormResponse> {
  const options: RequestOptions = {
    method: "POST",
    signal,
    agent: false,
    maxHeaderSize: headerBytesMax,
    headers: {
      accept: "application/json",
      ...headers,
      ...loopFields(0),
      "content-type": "application/x-www-form-urlencoded",
      "content-length": Buffer.byteLength(body),
      "user-agent": "restante",
    },
    lookup: pinnedLookup(address),
  };
  return new Promise((resolve, reject) => {
    const open = target.protocol === "https:" ? httpsRequest : httpRequest;
    const request = open(target, options, (response) => resolve(readResponse(response, responseBytesMax)));
    request.on("error", reject);
    request.end(body);
  });
}

async function readResponse(response: IncomingMessage, bytesMax: number): Promise<FormResponse> {
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
  return { status: response.statusCode ?? 0, contentType: response.headers["content-type"] ?? "", body };
}

function failure(text: string, isFinal: boolean, cause?: unknown): DeliveryFailure {
  return new DeliveryFailure(text, { stage: "connect", replyCode: null, isLocalRefusal: isFinal }, cause);
}
