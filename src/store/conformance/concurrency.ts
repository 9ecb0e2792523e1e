import { criteriaExpression } from "../../core/search/build-expression.ts";
import { expect, test } from "vitest";
import type { MessageId } from "../../core/ids.ts";
import { draft, page } from "./drafts.ts";
import { find, idsOf, makeServer, useStore, type OpenStore } from "./setup.ts";

/** Properties that hold under concurrent writes. */
export function describeConcurrency(open: OpenStore): void {
  const store = useStore(open);

  test("shows every confirmed change to reads that start afterwards", async () => {
    const server = await makeServer(store());
    await Promise.all(
      Array.from({ length: 25 }, async (_, n) => {
        const message = draft(server, { to: [`u${n}@x.test`], subject: `subject ${n}.`, body: `body ${n}.` });
        await store().addMessages([message]);
        expect(await find(store(), server, { sentTo: `u${n}@x.test` })).toEqual([message.id]);
        expect(await find(store(), server, { body: `body ${n}.` })).toEqual([message.id]);
        expect(idsOf(await store().listMessages(server, page()))).toContain(message.id);
        expect(await store().getDetail(message.id)).toBeDefined();
        await store().deleteMessage(message.id);
        expect(await find(store(), server, { subject: `subject ${n}.` })).toEqual([]);
        expect(idsOf(await store().listMessages(server, page()))).not.toContain(message.id);
      }),
    );
    expect((await store().getServer(server))?.messages).toBe(0);
  });

  test("shows no message from before emptying and every message confirmed after it, under concurrent writes", async () => {
    const server = await makeServer(store());
    /** Confirmed messages, with the sequence numbers of their commits. */
    const confirmed = new Map<MessageId, number>();
    let emptiedAt = 0;
    const race = { isOver: false };

    const write = async () => {
      while (!race.isOver) {
        const message = draft(server, { to: ["all@x.test"], body: "race" });
        const [stored] = await store().addMessages([message]);
        if (stored?.outcome === "stored") confirmed.set(message.id, stored.sequence);
      }
    };
    const checkOnce = async () => {
      const emptiedBefore = emptiedAt;
      const mustShow = [...confirmed].filter(([, sequence]) => sequence > emptiedBefore);
      const answers = [
        await store().listMessages(server, page({ itemsPerPage: 1000 })),
        await store().searchMessages(
          server,
          criteriaExpression({ sentTo: "all@x.test", match: "ALL" }),
          page({ itemsPerPage: 1000 }),
        ),
        await store().searchMessages(
          server,
          criteriaExpression({ body: "race", match: "ALL" }),
          page({ itemsPerPage: 1000 }),
        ),
      ];
      for (const answer of answers) {
        const shown = new Set(idsOf(answer));
        // An emptying meanwhile may hide earlier messages; messages that are shown must be newer than the last emptying.
        const resurrected = [...shown].filter((id) => (confirmed.get(id) ?? Infinity) <= emptiedBefore);
        expect(resurrected).toEqual([]);
        if (emptiedAt === emptiedBefore && !answer.hasMore) lateChecks.push({ emptiedBefore, mustShow, shown });
      }
    };
    const lateChecks: {
      readonly emptiedBefore: number;
      readonly mustShow: readonly (readonly [MessageId, number])[];
      readonly shown: ReadonlySet<MessageId>;
    }[] = [];
    const read = async () => {
      while (!race.isOver) await checkOnce().then(yieldOnce);
    };
    const empty = async () => {
      for (let round = 0; round < 15; round += 1) {
        for (let pause = 0; pause < 10; pause += 1) await store().getServer(server).then(yieldOnce);
        emptiedAt = (await store().emptyServer(server)) ?? 0;
      }
      race.isOver = true;
    };
    await Promise.all([write(), write(), write(), write(), read(), read(), empty()]);

    const changes = (await store().listChanges(server, 0, 100_000)) ?? [];
    const emptyings = changes.filter(({ kind }) => kind === "emptied").map(({ sequence }) => sequence);
    expect(emptyings).toHaveLength(15);
    expect(lateChecks.length).toBeGreaterThan(0);
    for (const { mustShow, shown, emptiedBefore } of lateChecks) {
      // An emptying that was committed but not yet confirmed may have hidden them.
      const next = emptyings.find((sequence) => sequence > emptiedBefore) ?? Infinity;
      const missing = mustShow.filter(([id, sequence]) => sequence < next && !shown.has(id));
      if (missing.length > 0) expect(missing.length).toBe(mustShow.length);
    }
    const last = emptyings.at(-1) ?? 0;
    const survivors = [...confirmed].filter(([, sequence]) => sequence > last).map(([id]) => id);
    const listed = idsOf(await store().listMessages(server, page({ itemsPerPage: 1000 })));
    expect(new Set(listed)).toEqual(new Set(survivors));
  });

  test("stores messages of many servers concurrently", async () => {
    // More calls than one commit takes.
    const servers = await Promise.all(Array.from({ length: 100 }, () => makeServer(store())));
    const stored = await Promise.all(
      servers.flatMap((server) => [0, 1, 2].map(() => store().addMessages([draft(server), draft(server)]))),
    );
    expect(stored.flat().every(({ outcome }) => outcome === "stored")).toBe(true);
    for (const server of servers) {
      expect(await store().listMessages(server, page())).toMatchObject({ count: 6, total: 6, cursor: 6 });
    }
  });
}

function yieldOnce(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
