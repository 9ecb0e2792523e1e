import { expect, test } from "vitest";
import { newServerId } from "../../core/ids.ts";
import { draft } from "./drafts.ts";
import { addDrafts, makeServer, useStore, type OpenStore } from "./setup.ts";

/** Journal of changes, numbered 1, 2, 3, … */
export function describeChanges(open: OpenStore): void {
  const store = useStore(open);

  test("lists every kind of change in order, also after emptying", async () => {
    const server = await makeServer(store());
    const [received] = await addDrafts(store(), server, [{}]);
    const [sent] = await addDrafts(store(), server, [{ direction: "Sent" }]);
    await store().deleteMessage(received);
    await store().emptyServer(server);
    const [late] = await addDrafts(store(), server, [{}]);
    const all = [
      { sequence: 1, kind: "received", id: received },
      { sequence: 2, kind: "sent", id: sent },
      { sequence: 3, kind: "deleted", id: received },
      { sequence: 4, kind: "emptied", id: null },
      { sequence: 5, kind: "received", id: late },
    ];
    expect(await store().listChanges(server, 0, 100)).toEqual(all);
    expect(await store().listChanges(server, 2, 2)).toEqual(all.slice(2, 4));
    expect(await store().listChanges(server, 5, 100)).toEqual([]);
  });

  test("returns undefined for a sequence number in the future", async () => {
    const server = await makeServer(store());
    await addDrafts(store(), server, [{}]);
    expect(await store().listChanges(server, 2, 100)).toBeUndefined();
    expect(await store().listChanges(newServerId(), 0, 100)).toEqual([]);
    expect(await store().listChanges(newServerId(), 1, 100)).toBeUndefined();
  });

  test("records a change for emptying an empty server", async () => {
    const server = await makeServer(store());
    expect(await store().emptyServer(server)).toBe(1);
    expect(await store().emptyServer(server)).toBe(2);
  });

  test("numbers changes without gaps under concurrent arrivals, deletions and emptying", async () => {
    const server = await makeServer(store());
    const [doomed, alsoDoomed] = await addDrafts(store(), server, [{}, {}]);
    const numbers = await Promise.all([
      ...Array.from({ length: 40 }, async () => (await store().addMessages([draft(server)]))[0]),
      store().deleteMessage(doomed),
      store().emptyServer(server),
      store().deleteMessage(alsoDoomed),
      ...Array.from({ length: 40 }, async () => (await store().addMessages([draft(server)]))[0]),
    ]);
    const published = numbers
      .map((number) => (typeof number === "object" && number.outcome === "stored" ? number.sequence : number))
      .filter((number) => number !== undefined);
    const changes = await store().listChanges(server, 2, 1000);
    expect(changes?.map(({ sequence }) => sequence)).toEqual(Array.from(changes ?? [], (_, index) => index + 3));
    expect(published.toSorted((a, b) => Number(a) - Number(b))).toEqual(changes?.map(({ sequence }) => sequence));
  });
}

/** Length of the journal of a server, which does not depend on an index of texts. */
export function describeJournalLength(open: OpenStore): void {
  const store = useStore(open);

  test("keeps at least the last 10,000 changes and returns undefined when older ones are missing", async () => {
    const server = await makeServer(store());
    const total = 13_500;
    for (let done = 0; done < total; done += 500) {
      await store().addMessages(Array.from({ length: 500 }, () => draft(server, { raw: "", detail: "" })));
    }
    const changes = await store().listChanges(server, total - 10_000, 20_000);
    expect(changes?.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 10_000 }, (_, index) => total - 10_000 + index + 1),
    );
    const all = await store().listChanges(server, 0, 20_000);
    expect([undefined, total]).toContain(all?.length);
  });
}
