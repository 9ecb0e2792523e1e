import { expect, test } from "vitest";
import type { WorkOutcome } from "../store/leased-queue.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { Claims, type ClaimDependencies } from "./claims.ts";
import { MemoryQueue } from "./memory-queue.test-aid.ts";

interface Work {
  readonly id: string;
  readonly attempts: number;
}

const minute = 60_000;

function setUp(changes: Partial<ClaimDependencies<Work>["queue"]> = {}) {
  const clock = new FakeClock();
  const memory = new MemoryQueue<Work, WorkOutcome>({
    keyOf: () => "",
    attemptsOf: ({ attempts }) => attempts,
    count: ({ id, attempts }, change) => ({ id, attempts: attempts + change }),
  });
  const bounds: number[] = [];
  const extended: [number, number][] = [];
  const errors: unknown[] = [];
  const queue: ClaimDependencies<Work>["queue"] = {
    claim: (claim) => memory.claim(claim),
    returnClaims: (leases) => memory.returnClaims(leases),
    forgiveClaims: (ids) => memory.forgiveClaims(ids),
    extendLeases: async (leases, leaseEndsAt) => void extended.push([leases.length, leaseEndsAt - clock.now()]),
    boundDueTimes: async ({ now }) => bounds.push(now),
    ...changes,
  };
  const task = { failed: (error: unknown) => void errors.push(error) };
  const claims = new Claims<Work>({ queue, clock, holder: "node", pausesMsMax: [null], task });
  for (const id of ["one", "two"]) memory.add({ id, attempts: 0 }, 0);
  const claim = async () => claims.claim([{ key: "", limit: 10 }], clock.now());
  return { clock, memory, claims, claim, bounds, extended, errors };
}

test("leases name the node", async () => {
  const [first] = await setUp().claim();
  expect(first?.lease).toMatch(/^node\/[0-9a-f-]{36}$/);
});

test("limits due times at start, and when the wall clock was set back", async () => {
  const { clock, claims, bounds } = setUp();
  await claims.keep(clock.now());
  clock.advance(1000);
  await claims.keep(clock.now());
  expect(bounds.length).toBe(1);
  clock.stepWall(-3_600_000);
  await claims.keep(clock.now());
  clock.stepWall(7_200_000);
  await claims.keep(clock.now());
  expect(bounds.length).toBe(2);
});

test("extends leases before they end, also after the wall clock was set forward", async () => {
  const { clock, claims, claim, extended } = setUp();
  await claim();
  clock.advance(5 * minute);
  await claims.keep(clock.now());
  expect(extended).toEqual([]);
  clock.advance(minute);
  await claims.keep(clock.now());
  clock.stepWall(3_600_000);
  await claims.keep(clock.now());
  expect(extended).toEqual([
    [2, 15 * minute],
    [2, 15 * minute],
  ]);
});

test("extends no leases of work whose outcome was recorded or that was returned", async () => {
  const { clock, claims, claim, memory, extended } = setUp();
  const [one, two] = await claim();
  if (one !== undefined) claims.forget(one);
  if (two !== undefined) await claims.return([two]);
  clock.advance(10 * minute);
  await claims.keep(clock.now());
  expect(extended).toEqual([]);
  expect(memory.rows.get("two")).toMatchObject({ lease: null, item: { attempts: 0 } });
});

test("reports claims that cannot be returned", async () => {
  const failure = new Error("disk full");
  const { claims, claim, errors } = setUp({ returnClaims: async () => Promise.reject(failure) });
  await claims.return(await claim());
  expect(errors).toEqual([failure]);
});
