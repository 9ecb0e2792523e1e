import { createServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readClientOptions } from "../../client/options.ts";
import { createTransport } from "../../client/transport.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { until } from "../../testing/until.test-aid.ts";
import { followEvents } from "./listen.ts";

type Script = (response: ServerResponse) => void;

let scripts: Script[];
let paths: string[];
let reports: string[];
let seen: number[];
const clock = new FakeClock();
const http = createServer((request, response) => {
  paths.push(request.url ?? "");
  scripts.shift()?.(response);
});
let url: string;
beforeEach(async () => {
  [scripts, paths, reports, seen] = [[], [], [], []];
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  url = `http://127.0.0.1:${String((http.address() as AddressInfo).port)}`;
});
afterEach(async () => {
  http.closeAllConnections();
  http.close();
  await once(http, "close");
});

const refuse =
  (status: number): Script =>
  (response) =>
    response.writeHead(status).end();

/** Streams changes and closes the connection. */
const stream =
  (cursor: number, ...sequences: readonly number[]): Script =>
  (response) => {
    response.writeHead(200, { "x-cursor": String(cursor) }).write("retry: 1000\n\n:\n\n");
    for (const sequence of sequences) {
      response.write(
        `id: ${String(sequence)}\nevent: received\ndata: {"sequence":${String(sequence)},"kind":"received"}\n\n`,
      );
    }
    response.end();
  };

const follow = async (onChange: (sequence: number) => void = () => undefined): Promise<unknown> =>
  followEvents({
    transport: createTransport(readClientOptions({ url, apiKey: "key" }), {
      now: () => clock.monotonicMs(),
      pause: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
    }),
    server: "abcd1234",
    report: (text) => reports.push(text),
    onChange: async ({ sequence }) => {
      onChange(sequence);
      seen.push(sequence);
    },
  }).catch((error: unknown) => error);

/** Runs the scripts until the last one, which must refuse the key. */
async function runAll(following: Promise<unknown>): Promise<unknown> {
  let error: unknown;
  void following.then((result) => (error = result));
  await until(() => {
    clock.advance(1000);
    return error !== undefined;
  });
  return error;
}

test("reconnects after the last change that was handled", async () => {
  scripts = [stream(7), stream(7, 8, 9), refuse(503), stream(9, 10), refuse(401)];
  expect(await runAll(follow())).toHaveProperty(
    "message",
    "Invalid API key; set RESTANTE_API_KEY to a key of this service",
  );
  expect(seen).toEqual([8, 9, 10]);
  const afters = paths.map((path) => /after=(\d+)/.exec(path)?.[1]);
  expect(afters).toEqual([undefined, "7", "9", "9", "10"]);
});

test("reads a change again whose handling failed", async () => {
  let isFirst = true;
  scripts = [stream(0, 1), stream(0, 1), refuse(404)];
  const failOnce = (): void => {
    if (!isFirst) return;
    isFirst = false;
    throw new Error("the message cannot be read");
  };
  expect(await runAll(follow(failOnce))).toHaveProperty("message", "There is no server abcd1234");
  expect([seen, reports]).toEqual([
    [1],
    ["Listening to server abcd1234", "Disconnected: the message cannot be read; retrying", "Reconnected"],
  ]);
});

test("reports events that the service no longer stores, and continues with new ones", async () => {
  scripts = [stream(3), refuse(410), stream(50, 51), refuse(401)];
  await runAll(follow());
  expect(reports).toContain("The service no longer stores the next events; some were skipped");
  expect(seen).toEqual([51]);
  expect(paths[2]).not.toContain("after");
});

test("reconnects when the service is silent for longer than between two of its comments", async () => {
  scripts = [stream(1), (response) => response.writeHead(200, { "x-cursor": "1" }).write(":\n\n"), refuse(401)];
  await runAll(follow());
  expect(reports).toContain("Disconnected: the service is silent; retrying");
});
