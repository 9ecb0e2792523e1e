import { criteriaExpression } from "../../core/search/build-expression.ts";
import { expect, test } from "vitest";
import type { CriterionName, LabelRole } from "../../core/criteria.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { SearchPage, Store, SummaryPage } from "../store.ts";
import { epochMs, page } from "./drafts.ts";
import { addDrafts, find, folded, idsOf, makeServer, newestFirst, useStore, type OpenStore } from "./setup.ts";

type Criterion = Exclude<CriterionName, LabelRole>;

const criteria: readonly Criterion[] = ["sentFrom", "sentTo", "subject", "body"];
const wanted = { sentFrom: "from@x.test", sentTo: "to@x.test", subject: "needle", body: "haystack" };

/** All non-empty sets of criteria. */
const subsets: readonly (readonly Criterion[])[] = Array.from({ length: 15 }, (_, index) =>
  criteria.filter((_criterion, bit) => ((index + 1) >> bit) % 2 === 1),
);

/** Adds one message for each combination of criteria that it meets: the bits of its index. */
async function addCombinations(store: Store): Promise<{ server: ServerId; ids: readonly MessageId[] }> {
  const server = await makeServer(store);
  const drafts = Array.from({ length: 16 }, (_, mask) => ({
    from: [(mask & 1) > 0 ? wanted.sentFrom : "other@x.test"],
    to: ["cc@x.test", (mask & 2) > 0 ? wanted.sentTo : "other@x.test"],
    subject: (mask & 4) > 0 ? "a needle!" : "other",
    body: (mask & 8) > 0 ? `a ${wanted.body} ` : "other",
  }));
  return { server, ids: await addDrafts(store, server, drafts) };
}

/** Search: matches, order and pages. */
export function describeSearch(open: OpenStore): void {
  const store = useStore(open);
  let combinations: ReturnType<typeof addCombinations> | undefined;

  test.each(subsets.flatMap((subset) => [["ALL", subset] as const, ["ANY", subset] as const]))(
    "finds exactly the messages with %s of %j",
    async (match, subset) => {
      const { server, ids } = await (combinations ??= addCombinations(store()));
      const meets = (mask: number) => (criterion: Criterion) => ((mask >> criteria.indexOf(criterion)) & 1) === 1;
      const expected = ids.filter((_id, mask) =>
        match === "ALL" ? subset.every(meets(mask)) : subset.some(meets(mask)),
      );
      const asked = Object.fromEntries(subset.map((criterion) => [criterion, wanted[criterion]]));
      expect(await find(store(), server, { ...asked, match })).toEqual(newestFirst(expected));
      const paged = [];
      for (let number = 0; number < 6; number += 1) {
        paged.push(...(await find(store(), server, { ...asked, match, within: { page: number, itemsPerPage: 3 } })));
      }
      expect(paged).toEqual(newestFirst(expected));
    },
  );

  test("finds whole labels of messages, alone and with other criteria, until the messages are deleted", async () => {
    const server = await makeServer(store());
    const labels = { provider: ["sendgrid"], tag: ["Welcome", "a,b"] };
    const to = ["sendgrid", "to@x.test"];
    const [first, second, plain] = await addDrafts(store(), server, [
      { ...labels, providerId: ["<1@x.test>"], to, body: "haystack" },
      { ...labels, providerId: ["2"], from: ["from@x.test"] },
      { to, tag: [] },
    ]);
    if (first === undefined || second === undefined) throw new Error("no messages");
    for (const [wanted, ids] of [
      [{ provider: "sendgrid" }, [second, first]],
      [{ provider: "sendgri" }, []],
      [{ provider: "Sendgrid" }, []],
      [{ tag: "Welcome" }, [second, first]],
      [{ tag: "welcome" }, []],
      [{ tag: "a,b", providerId: "2" }, [second]],
      [{ provider: "sendgrid", providerId: "<1@x.test>" }, [first]],
      [{ provider: "2" }, []],
      [{ provider: "sendgrid", sentFrom: "from@x.test" }, [second]],
      [{ provider: "sendgrid", body: "hayst" }, [first]],
      [{ providerId: "2", sentTo: "to@x.test", match: "ANY" }, [plain, second, first]],
      [{ providerId: "2", body: "hayst", match: "ANY" }, [second, first]],
      [{ sentTo: "sendgrid" }, [plain, first]],
    ] as const) {
      expect([wanted, await find(store(), server, wanted)]).toEqual([wanted, ids]);
    }
    await store().deleteMessage(first);
    expect(await find(store(), server, { tag: "Welcome" })).toEqual([second]);
    expect(await find(store(), server, { provider: "sendgrid", body: "hayst" })).toEqual([]);
  });

  test("finds each whole address in any letter case", async () => {
    const server = await makeServer(store());
    const [id] = await addDrafts(store(), server, [
      { from: ["Ann@Example.test", "bounce@example.test"], to: ["One@x.test", "TWO@x.test"] },
    ]);
    for (const sentTo of ["one@x.test", "ONE@X.TEST", "two@x.test"]) {
      expect(await find(store(), server, { sentTo })).toEqual([id]);
    }
    for (const sentFrom of ["ann@example.test", "BOUNCE@example.test"]) {
      expect(await find(store(), server, { sentFrom })).toEqual([id]);
    }
    for (const sentTo of ["ne@x.test", "one@x.tes", "one", "%", "one@x_test", "ann@example.test", "", "one@x.test "]) {
      expect(await find(store(), server, { sentTo })).toEqual(sentTo === "one@x.test " ? [id] : []);
    }
  });

  test("compares phone numbers by their digits", async () => {
    const server = await makeServer(store());
    const [id] = await addDrafts(store(), server, [{ from: ["+1 (555) 010-0000"], to: ["15550199"] }]);
    expect(await find(store(), server, { sentFrom: "15550100000" })).toEqual([id]);
    expect(await find(store(), server, { sentTo: "+1 555 0199" })).toEqual([id]);
  });

  test("finds a mail to many recipients once by each of them", async () => {
    const server = await makeServer(store());
    const to = Array.from({ length: 1000 }, (_, n) => `user${n}@x.test`);
    const [id] = await addDrafts(store(), server, [{ to, from: to }]);
    expect(await find(store(), server, { sentTo: "user999@x.test" })).toEqual([id]);
    expect(await find(store(), server, { sentTo: "user0@x.test", sentFrom: "user1@x.test", match: "ANY" })).toEqual([
      id,
    ]);
    await store().deleteMessage(id);
    expect(await find(store(), server, { sentTo: "user999@x.test" })).toEqual([]);
  });

  test("sorts by instant of receipt for every criterion", async () => {
    const server = await makeServer(store());
    const fields = { from: ["f@x.test"], to: ["t@x.test"], subject: "s", body: "b" };
    const ids = await addDrafts(
      store(),
      server,
      [5, 1, 9, 3].map((ms) => ({ ...fields, at: epochMs + ms })),
    );
    const expected = [ids[2], ids[0], ids[3], ids[1]];
    for (const asked of [{ sentTo: "t@x.test" }, { sentFrom: "f@x.test" }, { subject: "s" }, { body: "b" }]) {
      expect(await find(store(), server, asked)).toEqual(expected);
      expect(await find(store(), server, { ...asked, sentTo: "t@x.test", subject: "s", body: "b" })).toEqual(expected);
      expect(await find(store(), server, { ...asked, subject: "absent", body: "b", match: "ANY" })).toEqual(expected);
    }
  });

  test.each([{ sentTo: "t@x.test" }, { subject: "s" }, { body: "b" }, { sentTo: "t@x.test", body: "b" }])(
    "applies bounds and pages to %j",
    async (asked) => {
      const server = await makeServer(store());
      const fields = { to: ["t@x.test"], subject: "s", body: "b" };
      const drafts = Array.from({ length: 10 }, (_, n) => ({ ...fields, at: epochMs + n }));
      const ids: string[] = [];
      for (const one of drafts) ids.push(...(await addDrafts(store(), server, [one])));
      await addDrafts(store(), server, [{ ...fields, direction: "Sent" }]);
      const newest = newestFirst(ids);
      const search = (within: Parameters<typeof page>[0]) =>
        store().searchMessages(server, folded(asked), page(within));
      expect(idsOf(await search({ receivedAfter: epochMs + 6.5 }))).toEqual(newest.slice(0, 3));
      expect(idsOf(await search({ receivedAfter: epochMs + 7 }))).toEqual(newest.slice(0, 2));
      expect(idsOf(await search({ receivedAfter: epochMs + 100 }))).toEqual([]);
      expect(idsOf(await search({ afterSequence: 8 }))).toEqual(newest.slice(0, 2));
      expect(idsOf(await search({ afterSequence: 11 }))).toEqual([]);
      expect(idsOf(await search({ direction: "Sent" }))).toHaveLength(1);
      const first = await search({ itemsPerPage: 4 });
      expect(idsOf(first)).toEqual(newest.slice(0, 4));
      expect(first).toMatchObject({ hasMore: true, total: null, cursor: 11 });
      expect(idsOf(await search({ itemsPerPage: 4, page: 1 }))).toEqual(newest.slice(4, 8));
      const last = await search({ itemsPerPage: 4, page: 2 });
      expect(idsOf(last)).toEqual(newest.slice(8));
      expect(last).toMatchObject({ hasMore: false, total: 10 });
      expect(await search({ itemsPerPage: 10 })).toMatchObject({ count: 10, hasMore: false, total: 10 });
      expect(await search({ itemsPerPage: 4, page: 3 })).toMatchObject({ count: 0, hasMore: false });
      const bounded = await search({ afterSequence: 3, receivedAfter: epochMs + 4, itemsPerPage: 3, page: 1 });
      expect(idsOf(bounded)).toEqual(newest.slice(3, 5));
    },
  );

  test("finds every message by an empty text", async () => {
    const server = await makeServer(store());
    const ids = newestFirst(
      await addDrafts(store(), server, [
        { subject: "s", body: "" },
        { subject: "", body: "b" },
      ]),
    );
    expect(await find(store(), server, { subject: "" })).toEqual(ids);
    expect(await find(store(), server, { body: "" })).toEqual(ids);
  });

  test("finds new messages and no deleted ones when a search is repeated", async () => {
    const server = await makeServer(store());
    for (const asked of [
      { sentTo: "late@x.test" },
      { subject: "late" },
      { body: "late" },
      { sentTo: "late@x.test", body: "late" },
    ]) {
      const search = () => find(store(), server, asked);
      expect(await search()).toEqual([]);
      expect(await search()).toEqual([]);
      await addDrafts(store(), server, [{ subject: "other" }]);
      expect(await search()).toEqual([]);
      // Younger by commit, older by instant.
      const [id] = await addDrafts(store(), server, [
        { at: epochMs - 5000 - Math.floor(performance.now()), to: ["late@x.test"], subject: "late", body: "late" },
      ]);
      expect(await search()).toEqual([id]);
      await store().deleteMessage(id);
      expect(await search()).toEqual([]);
      const [again] = await addDrafts(store(), server, [{ to: ["late@x.test"], subject: "late", body: "late" }]);
      expect(await search()).toEqual([again]);
      await store().emptyServer(server);
      expect(await search()).toEqual([]);
    }
  });

  test("does not reuse the empty result of a bounded search for a wider one", async () => {
    const server = await makeServer(store());
    const [id] = await addDrafts(store(), server, [{ at: epochMs, subject: "word", body: "word" }]);
    for (const asked of [{ subject: "word" }, { body: "word" }]) {
      expect(await find(store(), server, { ...asked, within: { afterSequence: 1 } })).toEqual([]);
      expect(await find(store(), server, { ...asked, within: { receivedAfter: epochMs } })).toEqual([]);
      expect(await find(store(), server, { ...asked, within: { direction: "Sent" } })).toEqual([]);
      expect(await find(store(), server, { ...asked, within: { page: 1 } })).toEqual([]);
      expect(await find(store(), server, asked)).toEqual([id]);
    }
  });

  test("rejects a search whose caller has disconnected, and answers the same search of others", async () => {
    const server = await makeServer(store());
    const [message] = await addDrafts(store(), server, [{ body: "a needle" }]);
    const search = async (asked: Partial<SearchPage>): Promise<SummaryPage> =>
      await store().searchMessages(server, criteriaExpression({ body: "needle", match: "ALL" }), {
        ...page(),
        ...asked,
      });
    await expect(search({ caller: "a", signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "unavailable" });
    const abort = new AbortController();
    const asked = Array.from({ length: 20 }, (_, at) =>
      search({ caller: `key ${at % 3}`, signal: at % 2 === 0 ? abort.signal : undefined, receivedAfter: at % 5 }),
    );
    abort.abort();
    const answers = await Promise.allSettled(asked);
    for (const [at, answer] of answers.entries()) {
      if (answer.status === "fulfilled") expect(idsOf(answer.value)).toEqual([message]);
      else expect(at % 2).toBe(0);
    }
  });
}
