import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import type { Store } from "../../store/store.ts";
import type { FakeClock } from "../../testing/fake-clock.ts";
import { type HttpTestServer, openHttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import { createScreening, type TripleAges } from "./screen-recipient.ts";
import { createSharedTriples } from "./shared-triples.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let api: HttpTestServer;
let store: Store;
let clock: FakeClock;
/** Two nodes on one store. */
let [one, other]: readonly TripleAges[] = [];
/** Key of a triple of each test. */
let key: string;

beforeAll(async () => {
  api = await openHttpTestServer();
  ({ clock } = api);
  ({ store } = api.context);
  [one, other] = [createSharedTriples(store.providerObjects, clock), createSharedTriples(store.providerObjects, clock)];
});
afterAll(async () => api[Symbol.asyncDispose]());
beforeEach(() => {
  key = crypto.randomUUID().replaceAll("-", "");
});

describe("triples in the store", () => {
  test("have one first attempt on all nodes", async () => {
    expect(await one?.(key)).toBe(0);
    clock.advance(hourMs);
    expect(await other?.(key)).toBe(hourMs);
    expect(await other?.(`x${key}`)).toBe(0);
  });

  test("are forgotten after two days when they do not come back, else after 36", async () => {
    await one?.(key);
    clock.advance(2 * dayMs - 1);
    expect(await other?.(key)).toBe(2 * dayMs - 1);
    clock.advance(36 * dayMs - 1);
    expect(await one?.(key)).toBe(38 * dayMs - 2);
    clock.advance(36 * dayMs);
    expect(await one?.(key)).toBe(0);
    clock.advance(2 * dayMs);
    expect(await one?.(key)).toBe(0);
  });

  test("are written once a day at most when they come back", async () => {
    const writes: number[] = [];
    const counted = createSharedTriples(
      {
        getObject: async (...given) => store.providerObjects.getObject(...given),
        putObject: async (change) => {
          writes.push(change.now);
          return store.providerObjects.putObject(change);
        },
      },
      clock,
    );
    for (let hour = 0; hour < 48; hour += 1) {
      await counted(key);
      clock.advance(hourMs);
    }
    expect(writes).toHaveLength(3);
  });

  test("have the first attempt of the faster of two nodes", async () => {
    const [first, second] = [createSharedTriples(store.providerObjects, clock), one];
    expect(await Promise.all([first(key), second?.(key)])).toEqual([0, 0]);
    clock.advance(1000);
    expect(await first(key)).toBe(1000);
  });

  test("count as known when there are too many", async () => {
    const full = createSharedTriples(
      { getObject: async () => undefined, putObject: () => Promise.reject(new Problem("limit_reached")) },
      clock,
    );
    expect(await full(key)).toBe(Infinity);
  });

  test("reject as the store does", async () => {
    const failure = new Problem("unavailable");
    const away = createSharedTriples(
      { getObject: async () => undefined, putObject: () => Promise.reject(failure) },
      clock,
    );
    await expect(away(key)).rejects.toBe(failure);
  });
});

test("a second attempt at another node is accepted, and the wait is never longer than the setting", async () => {
  const rules = {
    domain: "corp.example",
    blockLists: [],
    greylistMs: 60_000,
    recipientCountPerNetworkPerMinuteMax: 100,
  };
  const lookup = () => Promise.reject(new Error("DNS was queried"));
  const [a, b] = [one, other].map((tripleAges) =>
    createScreening(rules, { clock, lookup, ...(tripleAges && { tripleAges }) }),
  );
  const recipient = { clientAddress: "8.51.100.7", mailFrom: "a@sender.example", address: "x@corp.example" };
  expect(await a?.(recipient)).toEqual({ kind: "greylisted", waitMs: 60_000 });
  // The clock of the other node is behind.
  clock.stepWall(-5000);
  expect(await b?.(recipient)).toEqual({ kind: "greylisted", waitMs: 60_000 });
  clock.stepWall(65_000);
  expect(await b?.(recipient)).toBeNull();
});
