/** Thread for reads that may take long. Searches take turns, slice by slice. */
import { parentPort, workerData } from "node:worker_threads";
import { Problem } from "../../../core/errors.ts";
import { closeCall } from "./calls.ts";
import type { Answer, IndexerSettings, ReaderCalls, Request } from "./calls.ts";
import { Statements, connectReader } from "../connection/connection.ts";
import { toFault } from "../connection/errors.ts";
import type { OnDamage } from "../content/checksums.ts";
import type { Notice } from "./notices.ts";
import { IndexBacklog } from "../text-index/index-backlog.ts";
import { Reads } from "./reads.ts";
import { Search } from "../search/search.ts";
import { WholeReads } from "../messages/whole-messages.ts";

/** How long one search may go on before the next gets its turn. */
const sliceMsMax = 5;

/** Smaller answers are cheaper to copy, and may share Node's pool. */
const movedBytesMin = 64 * 1024;

const port = parentPort;
if (port === null) throw new Error("this file is the body of a worker thread");
const { file, index } = workerData as IndexerSettings;
const database = connectReader(file);
const onDamage: OnDamage = (problem) => {
  const notice: Notice = { kind: "damage", fault: toFault(problem.cause) };
  port.postMessage(notice);
};
const reads = new Reads(database, onDamage);
const wholes = new WholeReads(database);
const backlog = new IndexBacklog(database);
const statements = new Statements(database);
/** `number` is the call's, `name` what the caller may cancel it by. */
const searches: { readonly number: number; readonly name: number; readonly search: Search }[] = [];
let isScheduled = false;

/** Everything but searches is answered on the spot. */
const calls: Omit<ReaderCalls, "search"> = {
  list: (server, page) => reads.snapshot.read(() => reads.pages.list(server, page)),
  part: (id, name) => reads.part(id, name, Infinity) ?? undefined,
  rawPiece: (id, at) => reads.snapshot.read(() => reads.rawChunks.piece(id, at)),
  messages: (server, after, bytesMax) => reads.snapshot.read(() => wholes.behind(server, after, bytesMax)),
  cancelSearch: (name) => {
    const place = searches.findIndex((one) => one.name === name);
    for (const { number } of place < 0 ? [] : searches.splice(place, 1)) {
      answer({ number, fault: toFault(new Problem("unavailable")) });
    }
  },
  indexBacklog: () => reads.snapshot.read(() => backlog.count(index.serverMessageCountMin)),
};

port.on("message", (request: Request) => {
  if (request.name === closeCall) {
    close(request);
  } else if (request.name === "search") {
    attempt(request.number, () => {
      start(request.number, request.parameters as Parameters<ReaderCalls["search"]>);
    });
  } else {
    attempt(request.number, () => {
      const call = calls[request.name as keyof typeof calls] as (...parameters: readonly unknown[]) => unknown;
      answer({ number: request.number, result: call(...request.parameters) });
    });
  }
});

function start(number: number, [server, criteria, page, name]: Parameters<ReaderCalls["search"]>): void {
  const { servers, changes, segments } = reads;
  const sources = { statements, servers, changes, segments, sliceMsMax, onDamage };
  searches.push({ number, name, search: new Search(sources, { server, criteria, page }) });
  schedule();
}

function schedule(): void {
  if (isScheduled || searches.length === 0) return;
  isScheduled = true;
  setImmediate(step);
}

/** One slice of the search whose turn it is. */
function step(): void {
  isScheduled = false;
  const active = searches.shift();
  if (active === undefined) return;
  attempt(active.number, () => {
    const result = reads.snapshot.read(() => active.search.step());
    if (result === undefined) searches.push(active);
    else answer({ number: active.number, result });
  });
  schedule();
}

function attempt(number: number, body: () => void): void {
  try {
    body();
  } catch (error) {
    answer({ number, fault: toFault(error) });
  }
}

function answer(one: Answer): void {
  port?.postMessage([one], movable(one.result));
}

/** Large buffers that belong to their answer alone are moved to the caller instead of being copied. */
function movable(result: unknown): ArrayBuffer[] {
  if (!(result instanceof Uint8Array) || !(result.buffer instanceof ArrayBuffer)) return [];
  return result.byteLength >= movedBytesMin && result.byteLength === result.buffer.byteLength ? [result.buffer] : [];
}

/** Searches under way are given up: whoever closes the store waits for none of them. */
function close(request: Request): void {
  for (const { number } of searches.splice(0)) answer({ number, fault: toFault(new Problem("unavailable")) });
  database.close();
  answer({ number: request.number });
  port?.close();
}
