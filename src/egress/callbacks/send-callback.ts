/** The HTTP client of callbacks: requests to URLs that users name. */
import { Agent as HttpAgent, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Clock } from "../../core/clock.ts";
import { loopFields } from "../../core/request-hops.ts";
import type { CallbackAnswer } from "../../providers/callbacks.ts";
import { DeliveryFailure, requestFailure } from "../delivery-failure.ts";
import { openRequest, readBody } from "../pinned-request.ts";
import { type AddressDependencies, CheckedAddresses, pinnedLookup } from "../resolve-host.ts";
import type { RenderedCallback } from "./delivery-content.ts";
import { parseRetryAfter } from "./callback-schedule.ts";

/** Idle connections that one receiver may keep. */
const idleCountMax = 16;
/** Time after which an idle connection is closed; servers announce shorter ones with `Keep-Alive`. */
const idleMsMax = 4000;
const agentCountMax = 256;

/**
 * Keep-alive connections to receivers, one pool per origin and checked address: a connection is used only for the address
 * that was checked for its request. The number of busy connections is that of the worker's requests.
 */
class KeepAliveAgents {
  /** The pool that was used least recently comes first. */
  readonly #agents = new Map<string, HttpAgent>();

  /** Returns the pool of an origin at an address. */
  agentOf({ origin, protocol }: URL, address: string): HttpAgent {
    const key = `${origin} ${address}`;
    const agent = this.#agents.get(key) ?? createAgent(protocol, address);
    this.#agents.delete(key);
    this.#agents.set(key, agent);
    if (this.#agents.size > agentCountMax) this.#removeOldest();
    return agent;
  }

  /** Closes all connections. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  /** Forgets the oldest pool. Its running requests go on, and their connections close when they become idle. */
  #removeOldest(): void {
    const [oldest] = this.#agents;
    if (oldest === undefined) return;
    const [key, agent] = oldest;
    this.#agents.delete(key);
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    agent.maxFreeSockets = 0;
  }
}

function createAgent(protocol: string, address: string): HttpAgent {
  const options = {
    keepAlive: true,
    maxFreeSockets: idleCountMax,
    timeout: idleMsMax,
    lookup: pinnedLookup(address),
  };
  return protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
}

/** Response to a callback. */
export interface CallbackResponse {
  readonly status: number;
  /** Pause that the receiver asked for, in milliseconds; null for none. */
  readonly retryAfterMs: number | null;
  /** The response as {@link RenderedCallback.onResponse} is given it; absent when its body was discarded. */
  readonly answer?: CallbackAnswer;
}

/** Dependencies of {@link CallbackClient}. */
export interface CallbackClientDependencies extends AddressDependencies {
  readonly clock: Clock;
}

/** Time from the look-up of the host to the header of the response. */
const timeoutMs = 15_000;
/** Time and size of the body of a response; a longer one costs the connection. */
const bodyBounds = { msMax: 1000, bytesMax: 64 * 1024 };

/** Request on its way. */
interface Sending {
  readonly target: URL;
  readonly address: string;
  readonly signal: AbortSignal;
}

/** Client that keeps connections to receivers. */
export class CallbackClient {
  readonly #dependencies: CallbackClientDependencies;
  readonly #addresses: CheckedAddresses;
  readonly #agents = new KeepAliveAgents();
  readonly #running = new Set<AbortController>();

  constructor(dependencies: CallbackClientDependencies) {
    this.#dependencies = dependencies;
    this.#addresses = new CheckedAddresses(dependencies);
  }

  /**
   * Sends a request and returns the status of its response, whatever it is; redirects are not followed. The policy checks
   * the URL and every address of its host for each request, and the connection goes to a checked address. Rejects with
   * {@link DeliveryFailure}: permanent where the policy refuses, temporary without a response within 15 s.
   */
  async send(callback: RenderedCallback): Promise<CallbackResponse> {
    const refusal = this.#dependencies.policy.refuseUrl(callback.url, null);
    if (refusal !== null) throw requestFailure(refusal, true);
    const target = new URL(callback.url);
    const controller = new AbortController();
    const { signal } = controller;
    let isLate = false;
    const cancelTimeout = this.#dependencies.clock.after(timeoutMs, () => {
      isLate = true;
      controller.abort();
    });
    this.#running.add(controller);
    try {
      const address = await this.#addresses.find(target, signal);
      if (callback.isCutOff === true) await cutOff(callback, { target, address, signal });
      else return await this.#exchange(callback, { target, address, signal });
    } catch (error) {
      if (error instanceof DeliveryFailure) throw error;
      throw requestFailure(isLate ? "No response within 15 seconds" : reasonOf(error), false, error);
    } finally {
      cancelTimeout();
      this.#running.delete(controller);
    }
    throw requestFailure("The connection was closed in the middle of the body, as requested", true);
  }

  /** Aborts running requests and closes all connections. */
  close(): void {
    for (const controller of this.#running) controller.abort();
    this.#agents.close();
  }

  async #exchange(callback: RenderedCallback, sending: Sending): Promise<CallbackResponse> {
    const options = { ...optionsOf(callback, sending), agent: this.#agents.agentOf(sending.target, sending.address) };
    const { clock } = this.#dependencies;
    const response = await postTwice(callback, sending, options);
    const { statusCode: status = 0, headers } = response;
    const chunks: Uint8Array[] = [];
    const isKept = callback.onResponse !== undefined;
    // The status decides about the delivery, so an incomplete body does not matter.
    await readBody(response, clock, { ...bodyBounds, take: (chunk) => !isKept || chunks.push(chunk) > 0 });
    const retryAfterMs = parseRetryAfter(headers["retry-after"], clock.now());
    return { status, retryAfterMs, ...(isKept && { answer: { status, headers, body: Buffer.concat(chunks) } }) };
  }
}

/** Posts over a kept connection, and once more over a new one when the receiver closed it meanwhile (RFC 9112 §9.3.1). */
async function postTwice(
  callback: RenderedCallback,
  sending: Sending,
  options: RequestOptions,
): Promise<IncomingMessage> {
  try {
    return await post(callback, sending, options);
  } catch (error) {
    if (!(error instanceof UnusedConnection)) throw error;
    return await post(callback, sending, { ...options, agent: false, lookup: pinnedLookup(sending.address) });
  }
}

/** Error of a kept connection that ended before any response. */
class UnusedConnection extends Error {
  override readonly name: string = "UnusedConnection";
}

function optionsOf({ request, hops = 0 }: RenderedCallback, { signal }: Sending): RequestOptions {
  return {
    method: request.method ?? "POST",
    signal,
    headers: {
      "user-agent": "restante",
      accept: "*/*",
      ...request.headers,
      ...loopFields(hops),
      ...(request.contentType !== "" && { "content-type": request.contentType }),
      "content-length": request.body.byteLength,
    },
  };
}

async function post(
  { request }: RenderedCallback,
  { target }: Sending,
  options: RequestOptions,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = openRequest(target, options);
  let bytesBefore = 0;
  outgoing.on("socket", (socket) => {
    bytesBefore = socket.bytesRead;
  });
  outgoing.on("response", resolve);
  outgoing.on("error", (error: NodeJS.ErrnoException) => {
    const isClosed = error.code === "ECONNRESET" || error.code === "EPIPE";
    const isUnused = outgoing.reusedSocket && isClosed && outgoing.socket?.bytesRead === bytesBefore;
    reject(isUnused ? new UnusedConnection("closed", { cause: error }) : error);
  });
  outgoing.end(request.body);
  return promise;
}

/** Announces the whole body, sends half of it and closes the connection. */
async function cutOff(callback: RenderedCallback, sending: Sending): Promise<void> {
  const { body } = callback.request;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const lookup = pinnedLookup(sending.address);
  const outgoing = openRequest(sending.target, { ...optionsOf(callback, sending), agent: false, lookup });
  outgoing.on("error", reject);
  outgoing.write(body.subarray(0, Math.floor(body.byteLength / 2)), () => {
    outgoing.destroy();
    resolve();
  });
  return promise;
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
  return code === null ? "The target could not be reached" : `The target could not be reached: ${code}`;
}
