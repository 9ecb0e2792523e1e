/** Transcripts of requests that store messages. */
import { STATUS_CODES } from "node:http";
import { RequestTranscript } from "../core/request-transcript.ts";
import type { Call, Method } from "./route.ts";

/** Request whose transcript is recorded. */
export interface RecordedRequest {
  readonly method: Method;
  /** Path with the query string. */
  readonly target: string;
  /** Bytes of the body, or its JSON value. */
  readonly body: unknown;
  /** Key of the request; null without one. */
  readonly key: string | null;
  /** Status of the response when the message is stored. */
  readonly status: number;
}

/** Returns the transcript of a request, which is encoded when a message is stored. */
export function transcribe(
  {
    context,
    clientAddress,
    isEncrypted,
    headers,
    httpVersion,
  }: Pick<Call, "context" | "clientAddress" | "isEncrypted" | "headers" | "httpVersion">,
  { status, ...request }: RecordedRequest,
): RequestTranscript {
  const peer = { protocol: `HTTP/${httpVersion}`, clientAddress, tls: isEncrypted ? "TLS" : null };
  const success = `${String(status)} ${STATUS_CODES[status] ?? ""}`.trim();
  return new RequestTranscript({ ...request, headers, peer, success }, context.clock);
}
