import { expect, test } from "vitest";
import type { ServerId } from "../../core/ids.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { DeliveryClaims, type ClaimDependencies } from "./delivery-claims.ts";
import { MemoryCallbackStore } from "./memory-callback-store.test-aid.ts";

const minute = 60_000;

function setUp(changes: Partial<ClaimDependencies["store"]> = {}) {
  const clock = new FakeClock();
  const memory = new MemoryCallbackStore();
  const bounds: number[] = [];
  const extended: [number, number][] = [];
  const errors: unknown[] = [];
  const store: ClaimDependencies["store"] = {
    claimDeliveries: (claim) => memory.claimDeliveries(claim),
    returnDeliveries: (leases) => memory.returnDeliveries(leases),
    extendDeliveryLeases: async (leases, leaseEndsAt) => void extended.push([leases.length, leaseEndsAt - clock.now()]),
    boundDeliveryTimes: async ({ now }) => bounds.push(now),
    ...changes,
  };
  const task = { failed: (error: unknown) => void errors.push(error) };
  const claims = new DeliveryClaims({ store, clock, holder: "node", firstPauseMs: 5000, task });
  for (const id of ["one", "two"]) {
    const receiver = { server: "abcd1234" as ServerId, target: "t", queue: "t", message: null };
    const content = { type: "x", content: new Uint8Array(), attemptsMax: null, deliversMessage: false };
    memory.add({ id, ...receiver, ...content, dueAt: 0, createdAt: 0 });
  }
  const claim = async () => claims.claim([{ queue: "t", limit: 10 }], clock.now());
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
  clock.advance(2 * minute);
  await claims.keep(clock.now());
  expect(extended).toEqual([]);
  clock.advance(2 * minute);
  await claims.keep(clock.now());
  clock.stepWall(3_600_000);
  await claims.keep(clock.now());
  expect(extended).toEqual([
    [2, 5 * minute],
    [2, 5 * minute],
  ]);
});

test("extends no leases of deliveries whose outcome was recorded or that were returned", async () => {
  const { clock, claims, claim, memory, extended } = setUp();
  const [one, two] = await claim();
  if (one !== undefined) claims.forget(one);
  if (two !== undefined) await claims.return([two]);
  clock.advance(10 * minute);
  await claims.keep(clock.now());
  expect(extended).toEqual([]);
  expect(memory.rows.get("two")).toMatchObject({ lease: null, stored: { attemptCount: 0 } });
});

test("reports claims that cannot be returned", async () => {
  const failure = new Error("disk full");
  const { claims, claim, errors } = setUp({ returnDeliveries: async () => Promise.reject(failure) });
  await claims.return(await claim());
  expect(errors).toEqual([failure]);
});
