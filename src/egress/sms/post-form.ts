/** The only client for POST requests to targets that users name. */
import type { IncomingMessage } from "node:http";
import type { TargetPolicy } from "../../core/outgoing-target.ts";
import { loopFields } from "../../core/request-hops.ts";
import { requestFailure } from "../delivery-failure.ts";
import { sendPinned } from "../pinned-request.ts";
import { checkedAddress, hostOf, resolveHost, untilAborted } from "../resolve-host.ts";

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

/**
 * Posts a form. The policy checks the target of every request: the URL, then every address of its host. The connection goes
 * to a checked address, so that a second DNS response changes nothing. Redirects are not followed. Rejects with
 * `DeliveryFailure`: permanent where the policy refuses, temporary without a response within 15 s.
 */
export async function postForm(post: FormPost, rules: PostRules): Promise<FormResponse> {
  const refusal = rules.policy.refuseUrl(post.url, post.ownOrigins);
  if (refusal !== null) throw requestFailure(refusal, true);
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = rules.signal === undefined ? timeout : AbortSignal.any([timeout, rules.signal]);
  const target = new URL(post.url);
  const { policy, resolve = resolveHost } = rules;
  const lookup = untilAborted(signal, resolve(hostOf(target), signal));
  const address = await checkedAddress(target, policy, lookup);
  try {
    const { body, responseBytesMax } = post;
    const headers = {
      accept: "application/json",
      ...post.headers,
      ...loopFields(0),
      "content-type": "application/x-www-form-urlencoded",
      "content-length": Buffer.byteLength(body),
      "user-agent": "restante",
    };
    return await readResponse(
      await sendPinned({ target, address, signal, method: "POST", headers, body }),
      responseBytesMax,
    );
  } catch (error) {
    throw requestFailure("The target could not be reached", false, error);
  }
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
