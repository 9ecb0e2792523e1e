/** Messages between a {@link Thread} and its worker module. */
import type { MessagePort } from "node:worker_threads";
import { serializeError, type SerializedError } from "./serialized-error.ts";

/** Message of a call to a thread. */
export interface CallRequest {
  readonly number: number;
  readonly name: string;
  readonly parameters: readonly unknown[];
}

/** Returns the method that a call executes: calls of records name it in their parameters. */
export function methodOf({ name, parameters }: Omit<CallRequest, "number">): string {
  return name === "changeRecord" ? String(parameters[1]) : name;
}

/** Response to a {@link CallRequest}; a missing `result` means `undefined`, unless the call failed. */
export interface CallResponse {
  readonly number: number;
  readonly result?: unknown;
  readonly error?: SerializedError;
}

/** Call that ends a thread after all earlier calls. */
export const closeCall = "close";

/** Executor of calls one by one. */
export interface CallServer {
  readonly call: (request: CallRequest) => unknown;
  /** Returns the buffers of a result that are transferred instead of copied; none by default. */
  readonly transfer?: (result: unknown) => readonly ArrayBuffer[];
  /** Called for {@link closeCall}, before the port is closed. */
  readonly close: () => unknown;
  readonly serialize?: (error: unknown) => SerializedError;
}

/** Executes the calls that arrive at a port, one after the other, until {@link closeCall}. */
export function serveCalls(
  port: MessagePort,
  { call, close, transfer = () => [], serialize = serializeError }: CallServer,
): void {
  const respond = async (request: CallRequest): Promise<void> => {
    const { number, name } = request;
    try {
      const result = await (name === closeCall ? close() : call(request));
      port.postMessage([{ number, result }], result === undefined ? [] : [...transfer(result)]);
    } catch (error) {
      port.postMessage([{ number, error: serialize(error) }]);
    }
    if (name === closeCall) port.close();
  };
  let previous = Promise.resolve();
  port.on("message", (request: CallRequest) => {
    previous = previous.then(() => respond(request));
  });
}
