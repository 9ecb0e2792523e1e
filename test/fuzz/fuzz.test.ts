/** A short run of every target with the same inputs each time; `npm run fuzz` runs longer, guided by coverage. */
import { beforeAll, afterAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../bench/realistic-mail.ts";
import { providers } from "../../src/providers/registry.ts";
import { routeTable } from "../../src/http/route-table.ts";
import { readCorpus } from "./corpus-files.ts";
import { listenerSeeds, type ListenerName } from "./listener-seeds.ts";
import { FuzzedService } from "./listeners.ts";
import { mutate } from "./mutate.ts";
import { readerTargets } from "./readers.ts";
import type { FuzzTarget } from "./target.ts";

/** Returns the corpus of a target, its seeds, and mutations of both. */
function* inputsOf(target: Omit<FuzzTarget, "open">, mutationCount: number): Generator<Buffer> {
  const starts = [...readCorpus(target.name), ...target.seeds];
  yield* starts;
  const random = seededRandom(20_261_127);
  for (let count = 0; count < mutationCount; count += 1) {
    const start = starts[Math.floor(random() * starts.length)] ?? Buffer.alloc(0);
    const input = mutate(start, { random, tokens: target.tokens, others: starts });
    yield random() < 0.9 ? (target.repair?.(input) ?? input) : input;
  }
}

/** Returns the inputs with which a target broke a guarantee, in base64, with the reason. */
async function findingsOf(inputs: Iterable<Buffer>, run: (input: Buffer) => unknown): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const input of inputs) {
    try {
      await run(input);
    } catch (error) {
      findings.push(`${String(error)} for ${input.toString("base64").slice(0, 4000)}`);
    }
  }
  return findings;
}

describe("any bytes", () => {
  it.each(readerTargets.map((target) => [target.name, target] as const))(
    "are read by %s without an error",
    async (_, target) => {
      await using open = await target.open();
      expect(await findingsOf(inputsOf(target, 150), (input) => open.run(input))).toEqual([]);
    },
  );
});

describe("a service that anyone sends any bytes to", () => {
  let service: FuzzedService;
  beforeAll(async () => {
    service = await FuzzedService.start();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
  });

  it.each(Object.keys(listenerSeeds) as ListenerName[])(
    "logs no error and responds to no request with 500 on its listener %s",
    async (listener) => {
      const inputs = inputsOf({ name: `listener-${listener}`, ...listenerSeeds[listener] }, 40);
      expect(await findingsOf(inputs, (input) => service.send(listener, input))).toEqual([]);
    },
  );
});

describe("the inputs of the HTTP listener", () => {
  const lines = listenerSeeds.http.seeds.map((seed) => seed.toString("latin1").split(" HTTP/1.1")[0] ?? "");

  it.each(routeTable.map(({ method, path }) => [method, path] as const))(
    "begin with a request of %s %s",
    (method, path) => {
      const start = `${method} ${path.split(/[:*]/)[0] ?? ""}`;
      expect(lines.some((line) => line.startsWith(start))).toBe(true);
    },
  );

  it.each(providers.map(({ name }) => name))("begin with requests to the endpoints of %s", (name) => {
    expect(lines.some((line) => line.includes(` /providers/${name}/`))).toBe(true);
  });
});
