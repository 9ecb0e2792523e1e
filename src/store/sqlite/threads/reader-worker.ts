/** Thread for reads that may take long. Searches take turns, one slice at a time. */
import { parentPort, workerData } from "node:worker_threads";
import { Problem } from "../../../core/errors.ts";
import { closeCall, type CallResponse, type CallRequest } from "./call-protocol.ts";
import type { IndexerSettings, ReaderCalls } from "./calls.ts";
import { Statements, connectReader } from "../connection/connection.ts";
import { serializeError } from "../connection/errors.ts";
import type { OnDamage } from "../content/checksums.ts";
import type { Notice } from "./notices.ts";
import { IndexBacklog } from "../text-index/index-backlog.ts";
import { Reads } from "./reads.ts";
import { ExpressionSearch } from "../search/expression-search.ts";
import { summarisePage } from "../search/summarise-page.ts";
import { Search } from "../search/search.ts";
import type { ExpressionCount, IdentityPage } from "../../mark-store.ts";
import type { SummaryPage } from "../../store.ts";
import { WholeReads } from "../messages/whole-messages.ts";

/** Duration of one slice of a search, after which the next search gets its turn. */
const sliceMsMax = 5;

/** Smaller results are cheaper to copy, and may share Node's buffer pool. */
const transferredBytesMin = 64 * 1024;

const port = parentPort;
if (port === null) throw new Error("this module must run as a worker thread");
const { file, index } = workerData as IndexerSettings;
const database = connectReader(file);
const onDamage: OnDamage = (problem) => {
  const notice: Notice = { kind: "damage", error: serializeError(problem.cause) };
  port.postMessage(notice);
};
const reads = new Reads(database, onDamage);
const wholes = new WholeReads(database);
const backlog = new IndexBacklog(database);
const statements = new Statements(database);
/** Search that is executed in slices; `step` returns its result, undefined while there is none. */
interface RunningSearch {
  step(): SummaryPage | IdentityPage | ExpressionCount | undefined;
}

/** Active searches: `number` identifies the call, `name` the search for `cancelSearch`. */
const searches: { readonly number: number; readonly name: number; readonly search: RunningSearch }[] = [];
let isScheduled = false;

const { servers, changes, segments } = reads;
const sources = { statements, servers, changes, segments, sliceMsMax, onDamage };

/** Calls that start a search. */
const starts = {
  search: (...[server, criteria, page]: Parameters<ReaderCalls["search"]>): RunningSearch =>
    new Search(sources, { server, criteria, page }),
  searchExpression: (...[server, expression, page]: Parameters<ReaderCalls["searchExpression"]>): RunningSearch => {
    const request = { server, expression, page };
    const search = new ExpressionSearch(sources, request);
    return {
      step: () => {
        const found = search.step();
        return found === undefined ? undefined : summarisePage(sources, request, found);
      },
    };
  },
  findExpression: (...[server, expression, page]: Parameters<ReaderCalls["findExpression"]>): RunningSearch => {
    const search = new ExpressionSearch(sources, { server, expression, page });
    return {
      step: () => {
        const result = search.step();
        return result && { identities: result.found, hasMore: result.hasMore, cursor: result.cursor };
      },
    };
  },
  countExpression: (...[server, expression, page]: Parameters<ReaderCalls["countExpression"]>): RunningSearch => {
    const search = new ExpressionSearch(sources, { server, expression, page, isCount: true });
    return {
      step: () => {
        const result = search.step();
        return result && { count: result.count, hasMore: result.hasMore, cursor: result.cursor };
      },
    };
  },
};

function isStart(name: string): name is keyof typeof starts {
  return Object.hasOwn(starts, name);
}

/** Calls that are executed at once: all but searches. */
const calls: Omit<ReaderCalls, keyof typeof starts> = {
  list: (server, page) => reads.snapshot.read(() => reads.pages.list(server, page)),
  part: (id, name) => reads.part(id, name, Infinity) ?? undefined,
  rawChunk: (id, at) => reads.snapshot.read(() => reads.rawChunks.chunk(id, at)),
  messages: (server, after, bytesMax) => reads.snapshot.read(() => wholes.after(server, after, bytesMax)),
  cancelSearch: (name) => {
    const place = searches.findIndex((one) => one.name === name);
    for (const { number } of place < 0 ? [] : searches.splice(place, 1)) {
      respond({ number, error: serializeError(new Problem("unavailable")) });
    }
  },
  listDeliveries: (server, filter, page) =>
    reads.snapshot.read(() => reads.outbound.callbacks.deliveries.list(server, filter, page)),
  listDueQueues: (now, limit) => reads.snapshot.read(() => reads.outbound.callbacks.deliveries.queues.list(now, limit)),
  nextDeliveryAt: () => reads.snapshot.read(() => reads.outbound.callbacks.deliveries.queues.nextDueAt()),
  countPendingDeliveries: () => reads.snapshot.read(() => reads.outbound.callbacks.deliveries.pending()),
  listTags: (server) => reads.snapshot.read(() => reads.marks.listTags(server)),
  countUnseen: (server, direction) => reads.snapshot.read(() => reads.marks.countUnseen(server, direction)),
  listIdentities: (server, direction, after) =>
    reads.snapshot.read(() => reads.marks.listIdentities(server, direction, after)),
  indexBacklog: () => reads.snapshot.read(() => backlog.count(index.serverMessageCountMin)),
};

port.on("message", (request: CallRequest) => {
  if (request.name === closeCall) {
    close(request);
  } else if (isStart(request.name)) {
    const open = starts[request.name] as (...parameters: readonly unknown[]) => RunningSearch;
    attempt(request.number, () => {
      searches.push({
        number: request.number,
        name: Number(request.parameters[3]),
        search: open(...request.parameters),
      });
      schedule();
    });
  } else {
    attempt(request.number, () => {
      const call = calls[request.name as keyof typeof calls] as (...parameters: readonly unknown[]) => unknown;
      respond({ number: request.number, result: call(...request.parameters) });
    });
  }
});

function schedule(): void {
  if (isScheduled || searches.length === 0) return;
  isScheduled = true;
  setImmediate(step);
}

/** Executes one slice of the search whose turn it is. */
function step(): void {
  isScheduled = false;
  const active = searches.shift();
  if (active === undefined) return;
  attempt(active.number, () => {
    const result = reads.snapshot.read(() => active.search.step());
    if (result === undefined) searches.push(active);
    else respond({ number: active.number, result });
  });
  schedule();
}

function attempt(number: number, body: () => void): void {
  try {
    body();
  } catch (error) {
    respond({ number, error: serializeError(error) });
  }
}

function respond(response: CallResponse): void {
  port?.postMessage([response], transferable(response.result));
}

/** Returns the buffers to transfer instead of copying: large ones that nothing else shares. */
function transferable(result: unknown): ArrayBuffer[] {
  if (!(result instanceof Uint8Array) || !(result.buffer instanceof ArrayBuffer)) return [];
  return result.byteLength >= transferredBytesMin && result.byteLength === result.buffer.byteLength
    ? [result.buffer]
    : [];
}

/** Rejects the active searches, so that closing does not wait for them. */
function close(request: CallRequest): void {
  for (const { number } of searches.splice(0)) respond({ number, error: serializeError(new Problem("unavailable")) });
  database.close();
  respond({ number: request.number });
  port?.close();
}
