/** A service that runs out of file descriptors. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { ServiceProcess } from "../../src/testing/service-process.ts";

const key = "a-key-for-journeys-of-descriptors";
/** Descriptors that are free before connections take them. */
const freeCount = 40;

/** Returns the body of a response over the connection of an agent. */
async function get(url: string, agent: Agent): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { authorization: `Bearer ${key}` };
  request(url, { agent, headers }, (response) => resolve(text(response)))
    .on("error", reject)
    .end();
  return promise;
}

interface Task {
  readonly task: string;
  readonly state: string;
  readonly degrades: string | null;
  readonly lastFailure: { readonly reason: string } | null;
}

// Limits of other processes are set by prlimit(1) of util-linux, and descriptors are counted in /proc.
test.skipIf(process.platform !== "linux")(
  "names exhausted descriptors in the log and the status, and goes on",
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "restante-descriptors-"));
    await using service = await ServiceProcess.start([`--data-dir=${dataDir}`], {
      environment: { RESTANTE_API_KEY: key },
    });
    using agent = Object.assign(new Agent({ keepAlive: true, maxSockets: 1 }), {
      [Symbol.dispose]: () => {
        agent.destroy();
      },
    });
    const stateOf = async (): Promise<Task | undefined> => {
      const { tasks } = JSON.parse(await get(`${service.url}/api/status`, agent)) as {
        readonly tasks: readonly Task[];
      };
      return tasks.find(({ task }) => task === "descriptors");
    };
    const reached = async (state: string): Promise<Task | undefined> => {
      for (;;) {
        const found = await stateOf();
        if (found?.state === state) return found;
        await setTimeout(50);
      }
    };
    await reached("ok");
    const limit = readdirSync(`/proc/${service.pid}/fd`).length + freeCount;
    execFileSync("prlimit", [`--pid=${service.pid}`, `--nofile=${limit}:${limit}`]);
    const sockets: Socket[] = Array.from({ length: 3 * freeCount }, () => {
      const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
      return socket.on("error", () => socket.destroy());
    });
    expect(await reached("failing")).toMatchObject({
      degrades: "new connections are closed, because no file descriptor is free",
      lastFailure: { reason: expect.stringMatching(/^EMFILE: /) as string },
    });
    expect(await get(`${service.url}/metrics`, agent)).toContain('restante_background_failing{task="descriptors"} 1');
    for (const socket of sockets) socket.destroy();
    await reached("ok");
    expect((await service.fetch("/readyz", key)).status).toBe(200);
    await service.logged(/file descriptors are free again/);
    const lines = service.errors.split("\n").filter((line) => line.includes("file descriptors exhausted"));
    expect(lines).toHaveLength(1);
    await service.stop();
    rmSync(dataDir, { recursive: true });
  },
);
