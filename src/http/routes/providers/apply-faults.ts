/** Faults of the response to a request to a provider's API. */
import type { Clock } from "../../../core/clock.ts";
import { InjectedFault, type RequestFaults } from "../../../operations/providers/request-faults.ts";
import type { HttpResponse } from "../../http-response.ts";
import { ConnectionDropped } from "../../read-body.ts";
import type { ProviderCall } from "../../route.ts";

/** Chunks per second of a throttled response. */
const chunksPerSecond = 10;

type FaultCall = Pick<ProviderCall, "context" | "signal" | "releaseBody">;

/**
 * Returns the response of `respond` with its faults: late, throttled, or not at all, in which case it rejects with
 * `ConnectionDropped`. Messages are stored before the delay.
 */
export async function applyFaults(
  call: FaultCall,
  faults: RequestFaults,
  respond: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const response = await respond().catch(passOverDrop);
  const { delayMs, losesReply, bytesPerSecond } = faults.response;
  const isDropped = response === null || losesReply;
  if (delayMs > 0) {
    call.releaseBody();
    await pause(call.context.clock, delayMs, endOf(call));
  }
  if (isDropped) throw new ConnectionDropped();
  return bytesPerSecond === null ? response : throttled(response, { call, bytesPerSecond });
}

function passOverDrop(error: unknown): null {
  if (error instanceof InjectedFault && error.outcome.drop === true) return null;
  throw error;
}

/** Aborts when the client has disconnected or the service shuts down. */
function endOf({ context: { closing }, signal }: FaultCall): AbortSignal {
  return AbortSignal.any([signal(), closing]);
}

async function pause(clock: Pick<Clock, "after">, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener("abort", end);
  });
}

interface Throttling {
  readonly call: FaultCall;
  readonly bytesPerSecond: number;
}

function throttled({ body, ...response }: HttpResponse, throttling: Throttling): HttpResponse {
  if (body === null) return { ...response, body };
  const bytes = Buffer.concat(body);
  return { ...response, body: null, stream: slowly(bytes, throttling), streamBytes: bytes.length };
}

async function* slowly(bytes: Uint8Array, { call, bytesPerSecond }: Throttling): AsyncGenerator<Uint8Array, void> {
  const chunkBytes = Math.max(1, Math.floor(bytesPerSecond / chunksPerSecond));
  const signal = endOf(call);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes);
    await pause(call.context.clock, (chunk.length / bytesPerSecond) * 1000, signal);
    yield chunk;
  }
}
