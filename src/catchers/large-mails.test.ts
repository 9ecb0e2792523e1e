/** Reading of large mails over every API of another mail catcher: no text of a mail becomes one string on the main thread. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { unobservedTasks } from "../core/background-tasks.ts";
import type { MessageId } from "../core/ids.ts";
import { defaultLimits } from "../core/limits.ts";
import { createEmailReading, type EmailReading } from "../operations/services/reading/email-reader.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../testing/http-test-server.test-aid.ts";
import { createCatcherRouter, catcherTable } from "./catcher-routes.ts";
import type { OpenCatcherRoute, CatcherRoute } from "./catcher.ts";

const mebibyte = 1024 ** 2;
const sizeBytes = 1.5 * mebibyte;
/** Characters that strings of the main thread have at most: those of the stored facts about a message. */
const lengthMax = 1.25 * mebibyte;

function fill(piece: string): string {
  return piece.repeat(Math.ceil(sizeBytes / piece.length));
}

function multipart(parts: readonly string[]): string {
  return `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`;
}

/** Mails with headers of their own before these, by name. */
const shapes: Readonly<Record<string, () => string>> = {
  "one line of text": () => `Content-Type: text/plain\r\n\r\n${fill("a text ")}\r\n`,
  "bare line feeds": () => `Content-Type: text/plain\r\n\r\n${fill("\n")}\r\n`,
  "a million lines": () => `Content-Type: text/plain\r\n\r\n${fill("line\r\n")}`,
  HTML: () => `Content-Type: text/html\r\n\r\n${fill('<a href="https://x.test/">x</a><img src="cid:y">\r\n')}`,
  "a base64 file": () =>
    multipart([
      "Content-Type: text/html\r\n\r\n<p>small</p>",
      `Content-Type: application/zip; name=big.zip\r\nContent-Disposition: attachment; filename=big.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n${fill(`${"QUJD".repeat(19)}\r\n`)}`,
    ]),
  "many parts": () =>
    multipart(
      Array.from({ length: 900 }, (_, at) => {
        return `Content-Type: text/plain; name=f${at}.txt\r\nX-Large: ${"v".repeat(6000)}\r\n\r\npart ${at}`;
      }),
    ),
  "a header section without an end": () => fill("X-Field: value\r\n"),
};

/** Bytes of bodies that may be read as strings. */
const wholeBytesMax = 64 * 1024;

type CatcherName = keyof typeof catcherTable;

let reading: EmailReading;
let api: HttpTestServer;
let server: TestServer;
const ids = new Map<string, MessageId>();
const wholeReads: number[] = [];
beforeAll(async () => {
  reading = createEmailReading({ limits: defaultLimits, clock: new FakeClock(), tasks: unobservedTasks });
  api = await openHttpTestServer({ context: { readEmail: reading.read } });
  server = await api.addServer();
  for (const [shape, write] of Object.entries(shapes)) {
    const raw = Buffer.from(`From: a@sender.example\r\nSubject: ${shape}\r\n${write()}`);
    ids.set(shape, await api.deliver(server, { raw }));
  }
  const { bodies } = api.context;
  const read = bodies.read.bind(bodies);
  vi.spyOn(bodies, "read").mockImplementation(async (request, caller) => {
    const { htmlParts, textParts } = request.places;
    wholeReads.push([...htmlParts, ...textParts].reduce((sum, { bodyStart, bodyEnd }) => sum + bodyEnd - bodyStart, 0));
    return read(request, caller);
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await api[Symbol.asyncDispose]();
  await reading.close();
});

/** Values of path parameters; a parameter without one fails the test, so that no route is forgotten. */
const values: Readonly<Record<string, (id: MessageId) => readonly string[]>> = {
  id: (id) => [id],
  page: (id) => [`${id}.html`, `${id}.html?embed=1`, `${id}.txt`, "latest"],
  part: () => ["0", "1", "2"],
  name: () => ["big.zip"],
  recipient: () => [`copy@${server.id}.restante.test`],
};
/** Routes that change the server, and streams without an end. */
const leftOut = (route: CatcherRoute | OpenCatcherRoute): boolean =>
  (route.method !== "GET" && !(route.method === "POST" && route.path.includes(":id"))) || route.path.endsWith("events");

function pathsOf(path: string, id: MessageId): readonly string[] {
  const [, name] = /:(\w+)/.exec(path) ?? [];
  if (name === undefined) return [path];
  const known = values[name];
  if (known === undefined) throw new Error(`no value for :${name} of ${path}`);
  return known(id).flatMap((value) => pathsOf(path.replace(`:${name}`, value), id));
}

/** Calls `note` with the first argument and the result of each call of a method, until the returned function is called. */
function watch(owner: object, name: string, note: (value: unknown) => void): () => void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== "function") throw new Error(`no method ${name}`);
  // A spy of the test runner would keep all that it has seen.
  const apply = (target: () => unknown, self: unknown, given: readonly unknown[]): unknown => {
    const result: unknown = Reflect.apply(target, self, given);
    note(given[0]);
    note(result);
    return result;
  };
  Reflect.set(owner, name, new Proxy(original as () => unknown, { apply }));
  return () => {
    Reflect.set(owner, name, original);
  };
}

/** Returns the length of the longest string that was read from a buffer, or written to JSON or a buffer, during `action`. */
async function longestString(action: () => Promise<void>): Promise<number> {
  let longest = 0;
  const note = (value: unknown): void => {
    if (typeof value === "string") longest = Math.max(longest, value.length);
  };
  const endings = [
    watch(Buffer.prototype as object, "toString", note),
    watch(JSON, "stringify", note),
    watch(Buffer, "from", note),
  ];
  try {
    await action();
  } finally {
    for (const end of endings) end();
  }
  return longest;
}

interface Calls {
  /** Calls whose strings were too long, or that failed. */
  readonly found: unknown[];
  readBytes: number;
}

/** Calls routes with the id of a mail, and reads their responses. */
async function readRoutes(name: CatcherName, isRead: (path: string) => boolean, id: MessageId): Promise<Calls> {
  const catcher = await catcherTable[name]();
  const access = { name, server: server.id, trustsLoopback: true };
  const listener = api.app.createCatcherListener(createCatcherRouter(catcher, { access, version: "0" }), null);
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const calls: Calls = { found: [], readBytes: 0 };
  const to = `copy@${server.id}.restante.test`;
  for (const { method, path } of catcher.routes.filter((route) => !leftOut(route) && isRead(route.path))) {
    const body = method === "POST" ? { body: JSON.stringify({ To: [to], Email: to }) } : {};
    for (const filled of pathsOf(path, id)) {
      wholeReads.length = 0;
      const longest = await longestString(async () => {
        const response = await fetch(`http://127.0.0.1:${port}${filled}`, { method, redirect: "manual", ...body });
        if (response.status >= 500) calls.found.push([filled, response.status]);
        for await (const chunk of response.body ?? []) calls.readBytes += (chunk as Uint8Array).length;
      });
      const whole = wholeReads.filter((bytes) => bytes > wholeBytesMax);
      if (longest > lengthMax || whole.length > 0) calls.found.push([filled, longest, whole]);
    }
  }
  listener.close();
  return calls;
}

describe.each(Object.keys(catcherTable) as CatcherName[])("%s", (name) => {
  test.each(Object.keys(shapes))("reads a mail of %s in bounded strings", async (shape) => {
    const id = ids.get(shape) ?? ("" as MessageId);
    const { found, readBytes } = await readRoutes(name, (path) => path.includes(":"), id);
    expect(found).toEqual([]);
    expect(readBytes).toBeGreaterThan(sizeBytes / 2);
  });

  test("lists large mails in bounded strings", async () => {
    const { found } = await readRoutes(name, (path) => !path.includes(":"), "" as MessageId);
    expect(found).toEqual([]);
  });
});
