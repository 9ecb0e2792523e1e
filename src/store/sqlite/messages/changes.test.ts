import { expect, test } from "vitest";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { find, idsOf, newestFirst } from "../../conformance/setup.ts";
import { openSqliteStore } from "../open.ts";

test("bounds the journal and still finds messages received before its start", async () => {
  const store = await openSqliteStore({ directory: await aDirectory(), durable: false });
  const { id: server } = await store.createServer(aServer());
  const ids: string[] = [];
  for (let round = 0; round < 30; round += 1) {
    const to = [`round${round}@x.test`];
    const messages = Array.from({ length: 500 }, () =>
      draft(server, { raw: "", detail: "", to, subject: to[0] ?? "" }),
    );
    await store.addMessages(messages);
    ids.push(...messages.map(({ id }) => id));
  }
  await expect.poll(async () => await store.listChanges(server, 3999, 1)).toBeUndefined();
  expect(await store.listChanges(server, 5000, 1)).toMatchObject([{ sequence: 5001 }]);
  expect(await store.listChanges(server, 0, 1)).toBeUndefined();

  const newest = newestFirst(ids);
  const within = { afterSequence: 100, itemsPerPage: 1000 };
  expect(idsOf(await store.listMessages(server, page({ ...within, page: 14 })))).toEqual(newest.slice(14_000, 14_900));
  const found = await find(store, server, { sentTo: "round0@x.test", within });
  expect(found).toEqual(newest.slice(14_500, 14_900));
  expect(await find(store, server, { subject: "round0@", within })).toEqual(found);
  expect(await find(store, server, { subject: "round0@", within: { ...within, afterSequence: 500 } })).toEqual([]);
  await store.close();
});
