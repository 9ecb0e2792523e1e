import fc from "fast-check";
import { expect, test } from "vitest";
import type { SearchExpression } from "../../core/search/search-expression.ts";
import type { ServerId } from "../../core/ids.ts";
import type { NewMessage, Store } from "../store.ts";
import { draft, epochMs, page, type Draft } from "./drafts.ts";
import { expressionDrafts, expressions, matchesOf, type StoredMessage } from "./expression-model.ts";
import { idsOf, makeServer, useStore, type OpenStore } from "./setup.ts";

async function store(store: Store, server: ServerId, drafts: readonly Draft[]): Promise<readonly StoredMessage[]> {
  const messages: readonly NewMessage[] = drafts.map((fields) => draft(server, fields));
  const outcomes = await store.addMessages(messages);
  return messages.map((message, at) => {
    const outcome = outcomes[at];
    if (outcome?.outcome !== "stored") throw new Error("a message was not stored");
    return { message, sequence: outcome.sequence };
  });
}

const runCount = 3;

/** Compares searches by random expressions with the comparison of each message, and checks pages and abort. */
export function describeExpressions(open: OpenStore): void {
  const opened = useStore(open);

  test("finds what a comparison of each message finds, for any expression", async () => {
    const property = fc.asyncProperty(
      expressionDrafts,
      fc.array(expressions, { minLength: 20, maxLength: 20 }),
      async (drafts, all) => {
        const server = await makeServer(opened());
        const stored = await store(opened(), server, drafts);
        for (const expression of all) {
          const expected = matchesOf(stored, expression);
          const whole = await opened().searchMessages(server, expression, page());
          const found = await opened().findMessages(server, expression, page({ itemsPerPage: 3 }));
          const second = await opened().searchMessages(server, expression, page({ itemsPerPage: 3, page: 1 }));
          const counts = await Promise.all(
            [3, 10_000].map(async (itemsPerPage) =>
              opened().findMessages(server, expression, { ...page({ itemsPerPage }), countOnly: true }),
            ),
          );
          expect([expression, ...counts]).toEqual([
            expression,
            { identities: [], count: Math.min(3, expected.length), hasMore: expected.length > 3, cursor: found.cursor },
            { identities: [], count: expected.length, hasMore: false, cursor: found.cursor },
          ]);
          const pages = [idsOf(whole), found.identities.map(({ id }) => id), found.hasMore, idsOf(second)];
          expect([expression, ...pages]).toEqual([
            expression,
            expected,
            expected.slice(0, 3),
            expected.length > 3,
            expected.slice(3, 6),
          ]);
          const sequences = new Map(stored.map(({ message, sequence }) => [message.id, sequence]));
          expect(found.identities.every(({ id, sequence }) => sequences.get(id) === sequence)).toBe(true);
        }
        await opened().deleteServer(server);
      },
    );
    await fc.assert(property, { numRuns: runCount });
  });

  test("finds messages of one direction, before a message and after a change", async () => {
    const server = await makeServer(opened());
    const any: SearchExpression = { kind: "text", field: "body", term: "word" };
    const stored = await store(opened(), server, [
      ...[1, 2, 3, 4].map((at) => ({ at: epochMs + at, body: `word ${at}` })),
      { at: epochMs + 9, direction: "Sent", body: "word" },
    ]);
    const ids = stored.map(({ message }) => message.id);
    const [, second, third] = ids;
    const find = async (within: Parameters<typeof page>[0]) =>
      (await opened().findMessages(server, any, page(within))).identities.map(({ id }) => id);
    expect(await find({ direction: "Sent" })).toEqual([ids[4]]);
    expect(await find({ ...(third && { before: third }) })).toEqual([second, ids[0]]);
    expect(await find({ afterSequence: stored[1]?.sequence ?? 0 })).toEqual([ids[3], third]);
    expect(await find({ receivedAfter: epochMs + 3 })).toEqual([ids[3]]);
    const count = async (within: Parameters<typeof page>[0]) =>
      (await opened().findMessages(server, any, { ...page(within), countOnly: true })).count;
    expect(await count({ direction: "Sent" })).toBe(1);
    expect(await count({ ...(third && { before: third }) })).toBe(2);
    expect(await count({ receivedAfter: epochMs + 3, itemsPerPage: 10_000 })).toBe(1);
  });

  test("finds a message by marks as soon as they have changed", async () => {
    const server = await makeServer(opened());
    const [{ message } = await Promise.reject(new Error("nothing stored"))] = await store(opened(), server, [
      { subject: "one" },
    ]);
    const tagged: SearchExpression = { kind: "tag", tag: "later" };
    expect((await opened().searchMessages(server, tagged, page())).count).toBe(0);
    await opened().marks.changeMarks(server, [message.id], { addTags: ["Later"], addFlags: ["seen"] });
    expect((await opened().searchMessages(server, tagged, page())).count).toBe(1);
    expect((await opened().searchMessages(server, { kind: "flag", flag: "seen" }, page())).count).toBe(1);
    await opened().marks.changeMarks(server, [message.id], { removeTags: "all" });
    expect((await opened().searchMessages(server, tagged, page())).count).toBe(0);
  });

  test("rejects with unavailable when the caller has disconnected, and finds nothing without a server", async () => {
    const server = await makeServer(opened());
    const term: SearchExpression = { kind: "text", field: "body", term: "word" };
    const signal = AbortSignal.abort();
    await expect(opened().searchMessages(server, term, { ...page(), signal })).rejects.toMatchObject({
      code: "unavailable",
    });
    await expect(opened().findMessages(server, term, { ...page(), signal, countOnly: true })).rejects.toMatchObject({
      code: "unavailable",
    });
    await opened().deleteServer(server);
    const nothing = { identities: [], count: 0, cursor: 0, hasMore: false };
    expect(await opened().findMessages(server, term, page())).toEqual(nothing);
    expect(await opened().findMessages(server, term, { ...page(), countOnly: true })).toEqual(nothing);
  });
}
