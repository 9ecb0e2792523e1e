/** Changes of a server for `restante listen`, which reports its connections and handles each change once. */
import { connectStream } from "../../client/events.ts";
import { AuthenticationError, NotFoundError, ResponseError } from "../../client/errors.ts";
import type { Transport } from "../../client/transport.ts";
import type { Change } from "../../core/events.ts";

/** Stream to follow. */
export interface FollowedStream {
  readonly transport: Transport;
  readonly server: string;
  /** Reports the connection to the user. */
  readonly report: (text: string) => void;
  /** Handles a change; the next one waits for it. When it rejects, the change is read again. */
  readonly onChange: (change: Change) => Promise<void>;
}

const retryMs = 1000;
const gone = 410;

/**
 * Follows the stream for ever, from its present end: reconnects after the last change that was handled, so that none is
 * skipped. Rejects with an `Error` for the operator when the service refuses the key or the server.
 */
export async function followEvents({ transport, server, report, onChange }: FollowedStream): Promise<never> {
  const position: { after: number | undefined } = { after: undefined };
  let [wasConnected, isConnected] = [false, true];
  const onOpen = (): void => {
    report(wasConnected ? "Reconnected" : `Listening to server ${server}`);
    [wasConnected, isConnected] = [true, true];
  };
  for (;;) {
    try {
      for await (const change of connectStream(transport, server, { position, onOpen })) {
        await onChange(change as Change);
      }
    } catch (error) {
      if (error instanceof AuthenticationError) {
        throw new Error("Invalid API key; set RESTANTE_API_KEY to a key of this service", { cause: error });
      }
      if (error instanceof NotFoundError) throw new Error(`There is no server ${server}`, { cause: error });
      if (error instanceof ResponseError && error.status === gone) {
        report("The service no longer stores the next events; some were skipped");
        position.after = undefined;
      } else if (isConnected) {
        report(`Disconnected: ${reasonOf(error)}; retrying`);
        isConnected = false;
      }
    }
    await transport.time.pause(retryMs, undefined);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
