/**
 * Whatever a client sends before it signs in takes time in proportion to its length, at every listener: a run of any
 * character takes at most a few times as long as harmless bytes of the same length.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { port } from "../../src/app/settings/forms.ts";
import { settings } from "../../src/app/settings/table.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import { ends, protocolsOf, proxyProtocol, pumps, type Protocol } from "./growth.test-aid.ts";

/** A quadratic reader takes some hundred times as long as a linear one at these lengths. */
const factor = 15;
const runCount = 5;
/** CPU time below which a measurement is noise, in milliseconds. */
const noiseMs = 2;

const listeners = settings.flatMap(({ env, form }) =>
  form === port && env.endsWith("_PORT") ? [env.replace(/^RESTANTE_|_PORT$/g, "")] : [],
);
const dataDir = mkdtempSync(join(tmpdir(), "restante-growth-"));
const portOf = (service: LocalService, name: string): number =>
  Number(new RegExp(`^  ${name} +\\S*?:(\\d+)(?: |$)`, "im").exec(service.message)?.[1]);

const start = async (folder: string, environment: Readonly<Record<string, string>>): Promise<LocalService> =>
  LocalService.start([], {
    RESTANTE_DATA_DIR: join(dataDir, folder),
    RESTANTE_API_KEY: "key-of-the-whole-account-1",
    RESTANTE_LIMIT_WRONG_KEY_COUNT_PER_MINUTE: "1000000",
    ...environment,
  });
let service: LocalService;
beforeAll(async () => {
  service = await start("all", Object.fromEntries(listeners.map((name) => [`RESTANTE_${name}_PORT`, "0"] as const)));
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true });
});

/** Returns the CPU time of this thread, on which the service runs, for an answer or the end of the connection. */
async function cpuMs(portNumber: number, { greets, frame }: Protocol, command: string): Promise<number> {
  const socket = connect({ port: portNumber, host: "127.0.0.1" });
  socket.on("error", () => socket.destroy());
  await once(socket, greets ? "data" : "connect");
  const before = process.threadCpuUsage();
  const answered = new Promise<void>((resolve) => {
    socket.once("data", () => resolve()).once("close", () => resolve());
  });
  // The end of the input closes sessions that wait for more.
  socket.end(frame(command), "latin1");
  await answered;
  const { user, system } = process.threadCpuUsage(before);
  socket.destroy();
  return Math.max((user + system) / 1000, noiseMs);
}

async function leastMs(measure: () => Promise<number>, enough = 0): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < runCount && least >= enough; run += 1) least = Math.min(least, await measure());
  return least;
}

/** Returns the commands that take too long at their full length. */
async function slowCommands(portNumber: number, protocol: Protocol): Promise<readonly string[]> {
  const slow: string[] = [];
  for (const head of protocol.starts) {
    const room = protocol.lengthMax - head.length - 200;
    const harmless = await leastMs(async () => cpuMs(portNumber, protocol, head + "x".repeat(room)));
    const commands = pumps.flatMap((pump) =>
      ends.map((end) => head + pump.repeat(Math.floor(room / pump.length)) + end),
    );
    for (const command of commands) {
      const bound = factor * harmless;
      const least = await leastMs(async () => cpuMs(portNumber, protocol, command), bound);
      if (least >= bound) slow.push(`${JSON.stringify(command.slice(0, 100))}: ${least} ms for ${harmless} ms`);
    }
  }
  return slow;
}

test("the protocols of all listeners are known", () => {
  expect([...protocolsOf.keys()].toSorted()).toEqual(listeners.toSorted());
});

describe("a listener reads bytes before authentication in linear time", () => {
  // The listeners of TLS run the same code after the handshake.
  test.each(listeners.filter((name) => !name.endsWith("S")))("%s", async (name) => {
    const portNumber = portOf(service, name === "HTTP" ? "API" : name);
    const slow: string[] = [];
    for (const protocol of protocolsOf.get(name) ?? []) slow.push(...(await slowCommands(portNumber, protocol)));
    expect(slow).toEqual([]);
  });

  test("SMTP with a PROXY header", async () => {
    await using behind = await start("proxy", { RESTANTE_SMTP_PROXIES: "127.0.0.1" });
    expect(await slowCommands(behind.smtpPort, proxyProtocol)).toEqual([]);
  });
});
