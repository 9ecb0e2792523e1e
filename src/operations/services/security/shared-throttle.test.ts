import { describe, expect, test } from "vitest";
import type { NodeNotification } from "../../../store/node-store.ts";
import { noTeamLimits } from "../../../core/team-limits.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { defaultLimits } from "../../../core/limits.ts";
import { createQuotas, recountMs } from "../limits/quotas.ts";
import { createThrottle, shareThrottle } from "./throttle.ts";

/** Nodes that notify each other at once. */
function nodes(count: number): readonly {
  notify: (notification: NodeNotification) => void;
  onNotification: (listen: (notification: NodeNotification) => void) => void;
}[] {
  const listeners: ((notification: NodeNotification) => void)[][] = Array.from({ length: count }, () => []);
  return listeners.map((own) => {
    return {
      notify: (notification) => {
        for (const others of listeners) if (others !== own) for (const listen of others) listen(notification);
      },
      onNotification: (listen) => void own.push(listen),
    };
  });
}

describe("over all nodes", () => {
  test("wrong secrets of an address are counted together, each once", () => {
    const clock = new FakeClock();
    const [one, other] = nodes(2).map((node) => shareThrottle(createThrottle(clock, 4), node));
    for (let round = 0; round < 2; round += 1) {
      one?.recordFailure("192.0.2.1");
      other?.recordFailure("192.0.2.1");
      if (round === 0) expect(() => one?.check("192.0.2.1")).not.toThrow();
    }
    expect(() => one?.check("192.0.2.1")).toThrow("Too many");
    expect(() => other?.check("192.0.2.1")).toThrow("Too many");
    expect(() => other?.check("192.0.2.2")).not.toThrow();
  });

  test("daily mails are counted again every two seconds, including those in progress", async () => {
    const clock = new FakeClock();
    let stored = 0;
    const store = {
      listUsage: () => Promise.resolve([{ day: 0, email: stored, sms: 0 }]),
      getServer: () => Promise.resolve(undefined),
      scheduledMessages: { measureHeldMessages: () => Promise.resolve({ messages: 0, bytes: 0 }) },
      teamLimits: {
        getTeamLimits: () => Promise.resolve(noTeamLimits),
        measureTeam: () => Promise.resolve({ messages: 0, bytes: 0 }),
      },
    };
    const limits = { ...defaultLimits, emailCountPerDayMax: 10, smsCountPerDayMax: 10 };
    const quotas = createQuotas({ store, clock, limits, isShared: true });
    await quotas.spend("email", 1, () => Promise.resolve((stored += 1)));
    stored += 8;
    clock.advance(recountMs);
    await quotas.spend("email", 1, async () => {
      clock.advance(recountMs);
      await expect(quotas.spend("email", 1, () => Promise.resolve())).rejects.toMatchObject({ code: "limit_reached" });
      stored += 1;
    });
    clock.advance(recountMs);
    await expect(quotas.spend("email", 1, () => Promise.resolve())).rejects.toMatchObject({ code: "limit_reached" });
  });
});
