import { expect, test } from "vitest";
import { newServerId } from "../../core/ids.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { applyRetention } from "./apply-retention.ts";
import type { Context } from "../context.ts";

test("applies the rules of the other servers when one fails, and rejects afterwards", async () => {
  const servers = [1, 2, 3].map(() => ({
    id: newServerId(),
    retention: { ageSecondsMax: null, messageCountMax: 1 },
  }));
  const expired: string[] = [];
  const store = {
    listServersForMaintenance: () => Promise.resolve(servers),
    expireMessages: (id: string) => {
      if (id === servers[0]?.id) return Promise.reject(new Error("damaged page"));
      const isFirst = !expired.includes(id);
      expired.push(id);
      return Promise.resolve(isFirst ? 1 : 0);
    },
  } as unknown as Context["store"];
  await expect(applyRetention({ store, clock: new FakeClock() } as unknown as Context)).rejects.toThrow("damaged page");
  expect(new Set(expired)).toEqual(new Set([servers[1]?.id, servers[2]?.id]));
});
