import { expect, test } from "vitest";
import type { ServerId } from "../../core/ids.ts";
import { draft } from "./drafts.ts";
import { addDrafts, find, makeServer, newestFirst, useStore, type OpenStore } from "./setup.ts";

/** Searches over thousands of messages. */
export function describeLargeServers(open: OpenStore): void {
  const store = useStore(open);

  test("searches thousands of messages completely, in pages", async () => {
    const server = await makeServer(store());
    const total = 2500;
    const rare = new Set([0, 1, 999, 1000, 2499]);
    const ids: string[] = [];
    for (let start = 0; start < total; start += 500) {
      const messages = Array.from({ length: 500 }, (_, n) => {
        const isRare = rare.has(start + n);
        const subject = isRare ? "a rare one" : "an everyday one";
        return draft(server, { raw: "", detail: "", subject, body: subject, to: isRare ? ["r@x.test"] : [] });
      });
      await store().addMessages(messages);
      ids.push(...messages.map(({ id }) => id));
    }
    const expected = newestFirst([...rare].map((index) => ids[index]));
    for (const asked of [
      { subject: "rare" },
      { body: "rare" },
      { subject: "everyday", sentTo: "r@x.test", match: "ANY" as const },
    ]) {
      const found = await find(store(), server, { ...asked, within: { itemsPerPage: 1000 } });
      if ("match" in asked) expect(found).toEqual(newestFirst(ids).slice(0, 1000));
      else expect(found).toEqual(expected);
    }
    expect(await find(store(), server, { subject: "everyday", within: { page: 2, itemsPerPage: 1000 } })).toHaveLength(
      495,
    );
    expect(await find(store(), server, { body: "rare", within: { page: 1, itemsPerPage: 3 } })).toEqual(
      expected.slice(3),
    );
    expect(await find(store(), server, { subject: "nowhere", body: "nowhere", match: "ANY" })).toEqual([]);
  });

  test("answers a short search while long ones wait", async () => {
    const [large, small] = [await makeServer(store()), await makeServer(store())];
    for (let start = 0; start < 1500; start += 500) {
      await store().addMessages(
        Array.from({ length: 500 }, () => draft(large, { raw: "", detail: "", body: "long text ".repeat(300) })),
      );
    }
    const [id] = await addDrafts(store(), small, [{ body: "short" }]);
    // Where connections are made when they are needed, there is one for each of them then.
    await Promise.all(Array.from({ length: 4 }, () => find(store(), large, { body: "text" })));
    const order: string[] = [];
    const search = async (server: ServerId, body: string): Promise<void> => {
      const found = await find(store(), server, { body });
      order.push(`${body}: ${found.join()}`);
    };
    // Each reads four megabytes, in many slices. Longer than the bodies: an index excludes none of them.
    const slow = Array.from({ length: 4 }, (_, n) => "long text ".repeat(301 + n));
    await Promise.all([...slow.map(async (body) => search(large, body)), search(small, "short")]);
    expect(order).toHaveLength(slow.length + 1);
    expect(order.slice(0, -1)).toContain(`short: ${String(id)}`);
  });
}
