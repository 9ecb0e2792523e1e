/** Faults of the response to a request to a provider's API. */
import type { Clock } from "../../../core/clock.ts";
import { InjectedFault, type RequestFaults } from "../../../operations/providers/request-faults.ts";
import type { HttpResponse } from "../../http-response.ts";
import { ConnectionDropped } from "../../read-body.ts";
import type { ProviderCall } from "../../route.ts";

/** Chunks per second of a throttled response. */
const chunksPerSecond = 10;

type FaultCall = Pick<ProviderCall, "context" | "signal">;

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
  if (delayMs > 0) await pause(call, delayMs);
  if (response === null || losesReply) throw new ConnectionDropped();
  return bytesPerSecond === null ? response : throttled(response, { call, bytesPerSecond });
}

function passOverDrop(error: unknown): null {
  if (error instanceof InjectedFault && error.outcome.drop === true) return null;
  throw error;
}

/** Resolves after a time, or when the client has disconnected or the service shuts down. */
async function pause({ context, signal }: FaultCall, ms: number): Promise<void> {
  const { clock, closing } = context;
  await wait(clock, ms, AbortSignal.any([signal(), closing]));
}

async function wait(clock: Pick<Clock, "after">, ms: number, signal: AbortSignal): Promise<void> {
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
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = bytes.subarray(at, at + chunkBytes);
    await pause(call, (chunk.length / bytesPerSecond) * 1000);
    yield chunk;
  }
}
