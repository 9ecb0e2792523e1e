import { expect, test } from "vitest";
import type { ServerId } from "../../core/ids.ts";
import { aServer, epochMs } from "./drafts.ts";
import { addDrafts, find, withStore, type OpenStore } from "./setup.ts";

/** Lists of servers; each test has a store of its own. */
export function describeServerLists(open: OpenStore): void {
  const opened = withStore(open);

  test("lists servers by name ignoring case, in code points, then by id", async () => {
    await opened(async ({ store }) => {
      const names = ["beta", "Alpha", "éclair", "alpha", "😀", "\uffee", "Zoo", "", "Éa", "alpha2"];
      const made = await Promise.all(names.map((name) => store.createServer(aServer({ name }))));
      const fold = (name: string) => Buffer.from(name.toLowerCase());
      const expected = made.toSorted((a, b) => Buffer.compare(fold(a.name), fold(b.name)) || (a.id < b.id ? -1 : 1));
      expect(await store.listServers()).toEqual(expected);
      expect(expected.map(({ name }) => name).slice(-3)).toEqual(["éclair", "\uffee", "😀"]);
      await store.updateServer(expected[1]?.id ?? made[0]?.id ?? aServer().id, { name: "zzz" });
      expect((await store.listServers()).at(-4)?.name).toBe("Éa");
    });
  });

  test("returns the server created first, by id among equals", async () => {
    await opened(async ({ store }) => {
      expect(await store.findOldestServer()).toBeUndefined();
      const times = [epochMs + 5, epochMs + 1, epochMs + 1, epochMs + 9];
      const made = await Promise.all(times.map((createdAt) => store.createServer({ ...aServer(), createdAt })));
      const oldest = made.slice(1, 3).toSorted((a, b) => (a.id < b.id ? -1 : 1))[0];
      expect(await store.findOldestServer()).toEqual(oldest);
      await store.deleteServer(oldest?.id ?? aServer().id);
      expect((await store.findOldestServer())?.createdAt).toBe(epochMs + 1);
    });
  });

  test("lists servers with a retention rule and expired servers for maintenance", async () => {
    await opened(async ({ store }) => {
      const make = async (expiresAt: number | null): Promise<ServerId> =>
        (await store.createServer({ ...aServer(), expiresAt })).id;
      const [plain, over, now, later, byAge, byCount] = [
        await make(null),
        await make(epochMs - 1),
        await make(epochMs),
        await make(epochMs + 1),
        await make(null),
        await make(null),
      ];
      await store.updateServer(byAge, { retention: { ageSecondsMax: 60 } });
      await store.updateServer(byCount, { retention: { messageCountMax: 1 } });
      await store.updateServer(plain, { retention: { messageCountMax: 1 } });
      await store.updateServer(plain, { retention: { messageCountMax: null } });
      const listed = (await store.listServersForMaintenance(epochMs)).map(({ id }) => id);
      expect(listed.toSorted()).toEqual([over, now, byAge, byCount].toSorted());
      expect((await store.listServersForMaintenance(epochMs + 1)).map(({ id }) => id)).toContain(later);
    });
  });

  test("stores more than a thousand servers and finds each one's messages", async () => {
    await opened(async ({ store }) => {
      const servers = Array.from({ length: 1100 }, (_, n) => aServer({ name: `S${String(n).padStart(4, "0")}` }));
      // In batches: a store may reject callers that wait too long for a connection, and the machine may be busy.
      for (let at = 0; at < servers.length; at += 100) {
        await Promise.all(servers.slice(at, at + 100).map((server) => store.createServer(server)));
      }
      const [first, last] = [servers[0]?.id ?? aServer().id, servers.at(-1)?.id ?? aServer().id];
      await addDrafts(store, last, [{ to: ["x@y.test"] }]);
      const listed = await store.listServers();
      expect(listed.map(({ id }) => id)).toEqual(servers.map(({ id }) => id));
      expect(listed.at(-1)).toMatchObject({ messages: 1 });
      expect(await find(store, last, { sentTo: "x@y.test" })).toHaveLength(1);
      expect(await find(store, first, { sentTo: "x@y.test" })).toEqual([]);
      expect(await store.statistics()).toMatchObject({ serverCount: 1100, messageCount: 1 });
    });
  });
}
