import { describe, expect, test } from "vitest";
import { Problem, type ReachedLimit } from "../../../core/errors.ts";
import type { ServerId } from "../../../core/ids.ts";
import { defaultLimits, int32Max } from "../../../core/limits.ts";
import { dayOf, type DayUsage, type Server } from "../../../core/server.ts";
import { noTeamLimits } from "../../../core/team-limits.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { createQuotas, type QuotaKind, type Quotas } from "./quotas.ts";

const openQuotas = (email: number, counted: readonly DayUsage[] = []) => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1, 23, 59, 0));
  const asked: number[] = [];
  const refused: ReachedLimit[] = [];
  const waiting = { messages: 0, bytes: 0 };
  const held = { messages: 2, bytes: 900, quota: { messages: null, bytes: 1000 }, team: null as string | null };
  const team = { limits: { ...noTeamLimits, bytesMax: 5000 as number | null }, used: { messages: 9, bytes: 4950 } };
  const quotas = createQuotas({
    clock,
    limits: { ...defaultLimits, emailCountPerDayMax: email, smsCountPerDayMax: 2 },
    store: {
      getServer: async () => held as unknown as Server,
      scheduledMessages: { measureHeldMessages: async () => waiting },
      teamLimits: { getTeamLimits: async () => team.limits, measureTeam: async () => team.used },
      listUsage: async (day) => {
        asked.push(day);
        return counted.filter((one) => one.day >= day);
      },
    },
    onRefused: (kind) => refused.push(kind),
  });
  return { quotas, clock, asked, refused, held, waiting, team };
};
const spend = async (quotas: Quotas, count = 1, kind: QuotaKind = "email"): Promise<string> =>
  quotas
    .spend(kind, count, async () => "stored")
    .catch((error: unknown) => (error instanceof Problem ? error.code : "fault"));

describe("a quota", () => {
  test("accepts messages up to the limit and rejects one more", async () => {
    const { quotas, refused } = openQuotas(3);
    expect(await spend(quotas, 2)).toBe("stored");
    expect(await spend(quotas, 2)).toBe("limit_reached");
    expect(await spend(quotas)).toBe("stored");
    expect(await spend(quotas)).toBe("limit_reached");
    expect(refused).toEqual(["email", "email"]);
  });

  test("starts from the counts of the store, for each kind", async () => {
    const today = dayOf(Date.UTC(2026, 0, 1));
    const { quotas } = openQuotas(3, [{ day: today, email: 2, sms: 2 }]);
    expect(await spend(quotas)).toBe("stored");
    expect(await spend(quotas)).toBe("limit_reached");
    expect(await spend(quotas, 1, "sms")).toBe("limit_reached");
  });

  test("restarts at midnight UTC, and reports the seconds until then", async () => {
    const { quotas, clock } = openQuotas(2);
    await spend(quotas, 2);
    await expect(quotas.spend("email", 1, async () => 0)).rejects.toMatchObject({ retryAfterSeconds: 60 });
    clock.advance(59_999);
    expect(await spend(quotas)).toBe("limit_reached");
    clock.advance(1);
    expect(await spend(quotas, 2)).toBe("stored");
  });

  test("is not exceeded by concurrent requests", async () => {
    const { quotas } = openQuotas(5);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => spend(quotas)));
    expect(outcomes.filter((one) => one === "stored")).toHaveLength(5);
  });

  test("does not count messages that were not stored", async () => {
    const { quotas } = openQuotas(2);
    await expect(quotas.spend("email", 2, () => Promise.reject(new Error("disk")))).rejects.toThrow("disk");
    expect(await spend(quotas, 2)).toBe("stored");
  });

  test("does not query the store without a limit", async () => {
    const { quotas, asked } = openQuotas(int32Max);
    expect(await spend(quotas, 1000)).toBe("stored");
    expect(asked).toEqual([]);
  });
});

describe("a server's storage quota", () => {
  const id = "abcd1234" as ServerId;

  test("counts only messages that the store rejects at a limit of a server or a team, by limit", async () => {
    const { quotas, refused } = openQuotas(int32Max);
    const problems = [
      new Problem("quota_exceeded", { limit: "server" }),
      new Problem("limit_reached", { limit: "team_email" }),
      new Problem("too_many_requests", { limit: "team_outbound" }),
      new Problem("limit_reached"),
      new Problem("unavailable"),
    ];
    for (const problem of problems) {
      const storing = quotas.spend("email", 1, () => Promise.reject(problem));
      await expect(storing).rejects.toBe(problem);
    }
    expect(refused).toEqual(["server", "team_email", "team_outbound"]);
  });

  test("is checked early only for recorded servers, until they are below it", async () => {
    const { quotas, refused, held } = openQuotas(int32Max);
    expect(quotas.requireRoom(id, 101)).toBeNull();
    quotas.suspect([id]);
    await quotas.requireRoom(id, 100);
    await expect(quotas.requireRoom(id, 101)).rejects.toMatchObject({ code: "quota_exceeded" });
    expect(refused).toEqual(["server"]);
    held.bytes = 0;
    await quotas.requireRoom(id, 101);
  });

  test("is that of the team too, whose servers together are measured", async () => {
    const { quotas, held, team } = openQuotas(int32Max);
    Object.assign(held, { bytes: 0, team: "t" });
    quotas.suspect([id]);
    await quotas.requireRoom(id, 50);
    await expect(quotas.requireRoom(id, 51)).rejects.toMatchObject({ code: "quota_exceeded" });
    team.limits.bytesMax = null;
    await quotas.requireRoom(id, 51);
  });

  test("counts messages that are held in a recorded server", async () => {
    const { quotas, waiting } = openQuotas(int32Max);
    quotas.suspect([id]);
    waiting.bytes = 50;
    await quotas.requireRoom(id, 50);
    await expect(quotas.requireRoom(id, 51)).rejects.toMatchObject({ code: "quota_exceeded" });
  });

  test("evicts the oldest recorded server beyond 10,000", () => {
    const { quotas } = openQuotas(int32Max);
    quotas.suspect(Array.from({ length: 10_001 }, (_, at) => `s${at}` as ServerId));
    expect(quotas.requireRoom("s0" as ServerId, 1)).toBeNull();
    expect(quotas.requireRoom("s1" as ServerId, 1)).not.toBeNull();
  });
});
