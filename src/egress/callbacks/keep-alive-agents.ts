import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { pinnedLookup } from "../resolve-host.ts";

/** Idle connections that one receiver may keep. */
const idleCountMax = 16;
/** Time after which an idle connection is closed; servers announce shorter ones with `Keep-Alive`. */
const idleMsMax = 4000;
const agentCountMax = 256;

/**
 * Keep-alive connections to receivers, one pool per origin and checked address: a connection is used only for the address
 * that was checked for its request. The number of busy connections is that of the worker's requests.
 */
export class KeepAliveAgents {
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
