import type { DatabaseSync } from "node:sqlite";
import type { MessagePort } from "node:worker_threads";
import { Problem } from "../../../core/errors.ts";
import { closeCall, type CallResponse, type CallRequest } from "../../threads/call-protocol.ts";
import type { IndexerSettings, ReaderCalls, Notice } from "./calls.ts";
import { Statements, connectReader } from "../connection/connection.ts";
import { serializeSqliteError } from "../connection/errors.ts";
import type { OnDamage } from "../content/content-tables.ts";
import { countUnindexed } from "../text-index/segments.ts";
import { Reads } from "./reads.ts";
import { Search, type SearchDependencies, type SearchRequest } from "../search/search.ts";
import { RecentGramReads } from "../../signatures/recent-grams.ts";

/** Duration of one slice of a search, after which the next search gets its turn. */
const sliceMsMax = 5;

/** Smaller results are cheaper to copy, and may share Node's buffer pool. */
const transferredBytesMin = 64 * 1024;

/** Calls that are executed at once: all but searches. */
type ShortCalls = Omit<ReaderCalls, "search" | "cancelSearch">;

/**
 * Execution of the calls that arrive at a port, over a read-only connection to a database, until {@link closeCall}. Searches
 * take turns, one slice at a time.
 */
export class ReaderLoop {
  readonly #port: MessagePort;
  readonly #database: DatabaseSync;
  readonly #reads: Reads;
  readonly #sources: SearchDependencies;
  readonly #calls: ShortCalls;
  /** Active searches: `number` identifies the call, `name` the search for `cancelSearch`. */
  readonly #searches: { readonly number: number; readonly name: number; readonly search: Search }[] = [];
  #isScheduled = false;

  /** Opens the database. Throws when it cannot be opened. */
  constructor(port: MessagePort, { file, index, recentGrams }: IndexerSettings) {
    this.#port = port;
    this.#database = connectReader(file);
    const onDamage: OnDamage = (problem) => {
      const notice: Notice = { kind: "damage", error: serializeSqliteError(problem.cause) };
      port.postMessage(notice);
    };
    this.#reads = new Reads(this.#database, onDamage);
    const { servers, changes, segments } = this.#reads;
    const statements = new Statements(this.#database);
    const recent = new RecentGramReads(recentGrams);
    this.#sources = { statements, servers, changes, segments, recent, sliceMsMax, onDamage };
    this.#calls = callsOf(this.#reads, statements, index.serverMessageCountMin);
  }

  /** Begins to execute calls. */
  start(): void {
    this.#port.on("message", (request: CallRequest) => {
      this.#receive(request);
    });
  }

  #receive(request: CallRequest): void {
    const { number, name, parameters } = request;
    if (name === closeCall) {
      this.#close(request);
      return;
    }
    this.#attempt(number, () => {
      if (name === "cancelSearch") {
        this.#cancel(Number(parameters[0]));
        this.#respond({ number });
      } else if (name === "search") {
        const search = new Search(this.#sources, parameters[0] as SearchRequest);
        this.#searches.push({ number, name: Number(parameters[1]), search });
        this.#schedule();
      } else {
        const call = this.#calls[name as keyof ShortCalls] as (...given: readonly unknown[]) => unknown;
        this.#respond({ number, result: call(...parameters) });
      }
    });
  }

  #cancel(name: number): void {
    const place = this.#searches.findIndex((one) => one.name === name);
    for (const { number } of place < 0 ? [] : this.#searches.splice(place, 1)) {
      this.#respond({ number, error: serializeSqliteError(new Problem("unavailable")) });
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#searches.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#step();
    });
  }

  /** Executes one slice of the search whose turn it is. */
  #step(): void {
    this.#isScheduled = false;
    const active = this.#searches.shift();
    if (active === undefined) return;
    this.#attempt(active.number, () => {
      const result = this.#reads.snapshot.read(() => active.search.step());
      if (result === undefined) this.#searches.push(active);
      else this.#respond({ number: active.number, result });
    });
    this.#schedule();
  }

  #attempt(number: number, body: () => void): void {
    try {
      body();
    } catch (error) {
      this.#respond({ number, error: serializeSqliteError(error) });
    }
  }

  #respond(response: CallResponse): void {
    this.#port.postMessage([response], transferable(response.result));
  }

  /** Rejects the active searches, so that closing does not wait for them. */
  #close(request: CallRequest): void {
    for (const { number } of this.#searches.splice(0)) {
      this.#respond({ number, error: serializeSqliteError(new Problem("unavailable")) });
    }
    this.#database.close();
    this.#respond({ number: request.number });
    this.#port.close();
  }
}

/** Returns the calls that are executed at once. */
function callsOf(reads: Reads, statements: Statements, serverMessageCountMin: number): ShortCalls {
  return {
    list: (server, page) => reads.snapshot.read(() => reads.pages.list(server, page)),
    readRecord: (kind, method, parameters) => reads.snapshot.read(() => reads.records.read(kind, method, parameters)),
    indexBacklog: () => reads.snapshot.read(() => countUnindexed(statements, reads.segments, serverMessageCountMin)),
  };
}

/** Returns the buffers to transfer instead of copying: large ones that nothing else shares. */
function transferable(result: unknown): ArrayBuffer[] {
  if (typeof result === "object" && result !== null && "column" in result) return transferable(result.column);
  if (!(result instanceof Uint8Array) || !(result.buffer instanceof ArrayBuffer)) return [];
  return result.byteLength >= transferredBytesMin && result.byteLength === result.buffer.byteLength
    ? [result.buffer]
    : [];
}
