/** `restante listen`: prints the events of a server, and forwards them to a local URL. */
import { AuthenticationError, NotFoundError, ResponseError } from "../../client/errors.ts";
import { connectStream } from "../../client/events.ts";
import type { Transport } from "../../client/transport.ts";
import { parseServerId, type ServerId } from "../../core/ids.ts";
import type { Message } from "../../core/message.ts";
import {
  type LocalChange,
  localEvents,
  localRequest,
  newLocalSecrets,
  providerRequests,
} from "../../operations/callbacks/webhook-facts.ts";
import { newWebhookSecret } from "../../core/standard-webhooks.ts";
import { webhookEvents } from "../../operations/callbacks/target-settings.ts";
import { type Action, type Call, UsageError } from "../command.ts";
import { openService, type Service } from "./service-client.ts";
import type { Clock } from "../../core/clock.ts";
import type { Change } from "../../core/events.ts";

/**
 * Returns a text with escapes (`\u009b`) in place of control characters other than line ends and tabs, which could start
 * terminal sequences, and of characters that change the direction of writing. JSON has the same meaning afterwards.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(
    /[^\P{Cc}\t\n\r]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Request of an event. */
interface OutgoingRequest {
  /** Type of the event. */
  readonly type: string;
  readonly request: {
    readonly headers: Readonly<Record<string, string>>;
    readonly contentType: string;
    readonly body: Uint8Array;
  };
}

const timeoutMs = 15_000;

/** Posts a request and returns the outcome in words: status or error, and duration. Redirects are not followed. */
async function forwardRequest(
  url: string,
  { headers, contentType, body }: OutgoingRequest["request"],
  clock: Pick<Clock, "monotonicMs">,
): Promise<string> {
  const startedAt = clock.monotonicMs();
  const duration = (): string => `(${String(Math.round(clock.monotonicMs() - startedAt))} ms)`;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": contentType },
      body: Buffer.from(body),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return `POST ${url} → ${String(response.status)} ${duration()}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `POST ${url} failed: ${cause instanceof Error ? cause.message : String(cause)} ${duration()}`;
  }
}

/** Options of listening. */
interface Listener {
  readonly service: Service;
  readonly server: ServerId;
  /** Types that are printed and forwarded; null for all. */
  readonly types: ReadonlySet<string> | null;
  /** Null: events are printed only. */
  readonly forwardUrl: string | null;
  /** Returns the requests of a change. */
  readonly requestsOf: (change: LocalChange) => Promise<readonly OutgoingRequest[]>;
}

/** Runs `restante listen` until the process ends, or the service refuses the key or the server. */
export const listen: Action = async (call) => {
  const listener = await openListener(call);
  return await followEvents({
    ...listener.service,
    report: (text) => {
      call.terminal.error(`${text}\n`);
    },
    onChange: (change) => handleChange(call, listener, change),
  });
};

async function openListener(call: Call): Promise<Listener> {
  const { flags, terminal } = call;
  const service = openService(call);
  const server = parseServerId(service.server);
  if (server === undefined) throw new UsageError(`--server: ${service.server} is not the id of a server`);
  const forwardUrl = flags.get("forward") ?? null;
  if (forwardUrl !== null && !/^https?:$/.test(URL.parse(forwardUrl)?.protocol ?? "")) {
    throw new UsageError("--forward must be an http or https URL");
  }
  const provider = flags.get("provider");
  const common = { service, server, types: typesOf(call), forwardUrl };
  if (provider !== undefined) return { ...common, requestsOf: await providerEvents(call, common, provider) };
  const secret = newWebhookSecret();
  if (forwardUrl !== null) terminal.error(`Signing secret: ${secret}\n`);
  return {
    ...common,
    requestsOf: async (change) =>
      localEvents(change).map((event) => ({
        type: event.type,
        request: localRequest(event, { secret, now: change.now }),
      })),
  };
}

function typesOf({ flags }: Call): ReadonlySet<string> | null {
  const types = flags.get("events")?.split(",");
  if (types === undefined) return null;
  const unknown = flags.has("provider") ? undefined : types.find((type) => !webhookEvents.some((one) => one === type));
  if (unknown !== undefined) throw new UsageError(`--events: ${unknown} is not one of ${webhookEvents.join(", ")}`);
  return new Set(types);
}

async function providerEvents(
  { terminal }: Call,
  { service, forwardUrl }: Pick<Listener, "service" | "forwardUrl">,
  provider: string,
): Promise<Listener["requestsOf"]> {
  const secrets = await newLocalSecrets(provider);
  if (secrets === undefined) throw new UsageError(`--provider: ${provider} has no event webhooks`);
  if (secrets.secret !== null) terminal.error(`Signing secret: ${secrets.secret}\n`);
  if (secrets.publicKey !== null) terminal.error(`Public key: ${secrets.publicKey}\n`);
  const receiver = { provider, secrets, url: forwardUrl ?? "http://localhost/", publicUrl: service.url };
  return async (change) => providerRequests(change, { ...receiver, now: change.now });
}

async function handleChange(call: Call, listener: Listener, change: Change): Promise<void> {
  const { terminal } = call;
  const { server, service, types, forwardUrl } = listener;
  const message = await readMessage(service, change);
  const facts = { change, server, message, publicUrl: service.url, now: terminal.clock.now() };
  for (const one of await listener.requestsOf(facts)) {
    if (types?.has(one.type) === false) continue;
    const outcome = forwardUrl === null ? "" : await forwardRequest(forwardUrl, one.request, terminal.clock);
    if (call.flags.has("json")) {
      terminal.out(`${escapeControls(Buffer.from(one.request.body).toString("utf8"))}\n`);
      if (outcome !== "") terminal.error(`${escapeControls(outcome)}\n`);
    } else terminal.out(`${escapeControls(`${lineOf(facts, one.type)}${outcome === "" ? "" : `  ${outcome}`}`)}\n`);
  }
}

/** Returns the message of a change; undefined when there is none any more. */
async function readMessage({ client }: Service, { id, kind }: Change): Promise<Message | undefined> {
  if (id === null || kind === "deleted") return undefined;
  try {
    return (await client.messages.get(id)) as unknown as Message;
  } catch (error) {
    // Deleted since: the event reports its id.
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function lineOf({ change, message, now }: LocalChange, type: string): string {
  const subject = message === undefined ? "" : JSON.stringify(message.subject.slice(0, 200));
  return [new Date(now).toISOString(), type, change.id ?? "", subject].join("  ").trimEnd();
}

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
