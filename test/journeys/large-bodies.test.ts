/** Oversized request bodies over real sockets: rejected without buffering, on every endpoint that creates messages. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";

const key = "a-key-for-journeys";
const server = "larg1234";
const mebibyte = 1024 ** 2;

let dataDir: string;
let service: ServiceProcess;
let original: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-large-"));
  service = await ServiceProcess.start([`--data-dir=${dataDir}`], {
    environment: { RESTANTE_API_KEY: key, RESTANTE_SERVERS: `${server}:Large` },
  });
  await service.send(`x@${server}.restante.test`, "Original");
  const list = await service.fetch(`/api/messages?server=${server}`, key);
  original = ((await list.json()) as Message[])[0]?.id ?? "";
});
afterAll(async () => {
  await service.stop("SIGKILL");
  rmSync(dataDir, { recursive: true });
});

const paths = {
  create: () => `/api/messages?server=${server}`,
  forward: () => `/api/messages/${original}/forward`,
  reply: () => `/api/messages/${original}/reply`,
};

interface Pouring {
  readonly isDeclared?: boolean;
  /** Called after 60 MiB were sent; the rest is sent when it resolves. */
  readonly rest?: () => Promise<void>;
}

/** Sends a JSON body of the given size in MiB in chunks, then requests `/healthz`; returns both statuses. */
async function pour(
  path: string,
  sizeMiB: number,
  { isDeclared = false, rest = () => Promise.resolve() }: Pouring = {},
): Promise<readonly number[]> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => (received += text));
  const write = async (bytes: Buffer | string): Promise<void> => {
    if (!socket.write(bytes)) await once(socket, "drain");
  };
  const frame = isDeclared ? `Content-Length: ${String(sizeMiB * mebibyte)}` : "Transfer-Encoding: chunked";
  const head = ["Host: localhost", `Authorization: Bearer ${key}`, "Content-Type: application/json", frame];
  await write(`POST ${path} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`);
  const piece = Buffer.alloc(mebibyte, "x");
  for (let count = 0; count < sizeMiB; count += 1) {
    if (count === 60) await rest();
    if (!isDeclared) await write(`${mebibyte.toString(16)}\r\n`);
    await write(count === 0 ? Buffer.concat([Buffer.from('{"text":"'), piece.subarray(9)]) : piece);
    if (!isDeclared) await write("\r\n");
  }
  await write(isDeclared ? "" : "0\r\n\r\n");
  await write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const statuses = (): readonly number[] =>
    Array.from(received.matchAll(/HTTP\/1\.1 (\d+)/g), (match) => Number(match[1]));
  while (statuses().length < 2) await once(socket, "data");
  socket.destroy();
  return statuses();
}

test.each(Object.keys(paths) as (keyof typeof paths)[])(
  "rejects 76 MiB to %s with and without a declared length, and the connection stays usable",
  async (name) => {
    expect(await pour(paths[name](), 76, { isDeclared: true })).toEqual([413, 200]);
    expect(await pour(paths[name](), 76)).toEqual([413, 200]);
  },
);

test("rejects some of six concurrent bodies for lack of memory, and continues to accept mail", async () => {
  let waiting = 0;
  const all = Promise.withResolvers<undefined>();
  const rest = async (): Promise<void> => {
    waiting += 1;
    if (waiting === 6) all.resolve(undefined);
    await all.promise;
  };
  const pouring = Array.from({ length: 6 }, async () => pour(paths.create(), 76, { rest }));
  await service.send(`x@${server}.restante.test`, "Beside");
  const statuses = (await Promise.all(pouring)).map(([refusal, usable]) => `${String(refusal)} ${String(usable)}`);
  expect(statuses.filter((one) => one !== "413 200" && one !== "429 200")).toEqual([]);
  expect(statuses).toContain("429 200");
  expect(await service.subjects(server, key)).toEqual(["Beside", "Original"]);
});

test("reads 74 MiB, and rejects their content", async () => {
  // The string is never closed: invalid JSON.
  expect(await pour(paths.create(), 74)).toEqual([400, 200]);
  expect(await service.subjects(server, key)).toHaveLength(2);
});
