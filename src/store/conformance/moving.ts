import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { newServerId, type MessageId, type ServerId } from "../../core/ids.ts";
import { dayOf } from "../../core/server.ts";
import { noUsage } from "../../core/usage.ts";
import { wholeMessageCountMax, type NewMessage, type Store, type WholeMessage } from "../store.ts";
import { aServer, draft, epochMs } from "./drafts.ts";
import { addDrafts, makeServer, textOf, useStore, type OpenStore } from "./setup.ts";

/** Reads all messages of a server; returns them and the number of batches. */
async function readAll(
  store: Store,
  server: ServerId,
  bytesMax: number,
): Promise<readonly (readonly WholeMessage[])[]> {
  const answers: (readonly WholeMessage[])[] = [];
  for (let after: MessageId | null = null; ;) {
    const messages = await store.readMessages(server, after, bytesMax);
    const last = messages.at(-1);
    if (last === undefined) return answers;
    answers.push(messages);
    after = last.id;
  }
}

function shown({ id, summaryJson, detailJson, raw }: WholeMessage): unknown {
  return [id, textOf(summaryJson), textOf(detailJson), Buffer.from(raw).toString("base64")];
}

const byId = (a: NewMessage, b: NewMessage): number => (a.id < b.id ? -1 : 1);

/** Reads of whole messages, and imported state of servers, deliveries and counts. */
export function describeMoving(open: OpenStore): void {
  const store = useStore(open);

  test("returns messages as they were stored, received before sent, each oldest first, whatever the size of a batch", async () => {
    const sizes = fc.array(fc.record({ raw: fc.nat(3000), detail: fc.nat(3000), isSent: fc.boolean() }), {
      maxLength: 12,
    });
    const property = fc.asyncProperty(sizes, fc.constantFrom(1, 500, 4000, 1e6), async (wanted, bytesMax) => {
      const server = await makeServer(store());
      const messages = wanted.map(({ raw, detail, isSent }) => {
        const texts = { raw: randomBytes(raw >> 1), detail: JSON.stringify("é".repeat(detail)), note: "n ✓" };
        return draft(server, { ...texts, direction: isSent ? "Sent" : "Received" });
      });
      for (const message of messages.toReversed()) await store().addMessages([message]);
      const read = (await readAll(store(), server, bytesMax)).flat();
      expect(read.map(shown)).toEqual(messages.toSorted(byId).map(shown));
      await store().deleteServer(server);
    });
    await fc.assert(property, { numRuns: 25 });
  });

  test("ends a batch at the requested bytes, and at a hundred messages", async () => {
    const server = await makeServer(store());
    const drafts = Array.from({ length: wholeMessageCountMax + 30 }, () => ({ raw: "x".repeat(10_000), detail: "1" }));
    await addDrafts(store(), server, drafts);
    const counts = async (bytesMax: number) => (await readAll(store(), server, bytesMax)).map(({ length }) => length);
    expect(await counts(1e9)).toEqual([wholeMessageCountMax, 30]);
    expect((await counts(50_000)).slice(0, 2)).toEqual([5, 5]);
    expect(Math.max(...(await counts(1)))).toBe(1);
  });

  test("returns content in chunks whole and in a batch of its own", async () => {
    const server = await makeServer(store());
    const [large, plain] = [randomBytes(3_000_000), Buffer.alloc(20_000_000, "a")];
    const messages = [{ raw: large }, { raw: plain }, { raw: "", detail: plain }, { detail: large.toString("hex") }];
    await addDrafts(store(), server, messages);
    const answers = await readAll(store(), server, 1_000_000);
    expect(answers.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    const same = (bytes: Uint8Array | undefined, other: Uint8Array): boolean =>
      Buffer.compare(bytes ?? other.slice(1), other) === 0;
    const [first, second, third, fourth] = answers.flat();
    expect(same(first?.raw, large) && same(second?.raw, plain) && third?.raw.length === 0).toBe(true);
    expect(same(third?.detailJson, plain) && textOf(fourth?.detailJson) === large.toString("hex")).toBe(true);
  });

  test("returns present messages of that server only, and none for an unknown server", async () => {
    const [server, other] = [await makeServer(store()), await makeServer(store())];
    const [first, second, third] = await addDrafts(store(), server, [{}, {}, {}]);
    await addDrafts(store(), other, [{}]);
    if (second === undefined || first === undefined) throw new Error("nothing was stored");
    await store().deleteMessage(second);
    const ids = async (after: MessageId | null) => (await store().readMessages(server, after, 1e6)).map(({ id }) => id);
    expect(await ids(null)).toEqual([first, third]);
    expect(await ids(first)).toEqual([third]);
    // One that is gone is a place as well.
    expect(await ids(second)).toEqual([third]);
    await store().emptyServer(server);
    expect(await ids(null)).toEqual([]);
    expect(await store().readMessages(newServerId(), null, 1e6)).toEqual([]);
  });

  test("creates a server with its former state", async () => {
    const past = {
      users: ["ü", "b"],
      retention: { ageSecondsMax: 86_400, messageCountMax: 7 },
      retired: 12_345,
      expiresAt: epochMs + 0.5,
    };
    const { id } = await store().createServer(aServer(past));
    expect(await store().getServer(id)).toMatchObject(past);
    expect(await store().getServerPassword(id)).toBe("secret");
  });

  test("keeps the attempts of a finished delivery", async () => {
    const server = await makeServer(store());
    const message = draft(server, { direction: "Sent" });
    const ended = { route: "inside", mailFrom: "", rcptTo: [], content: null, at: epochMs } as const;
    const state = { status: "Failed", attempts: 7, lastError: "550 no" } as const;
    const entries = [{ id: `moved/${message.id}`, message: message.id, ...ended, ...state }];
    await store().addMessages([message], { entries });
    await store().addMessages([message], { entries });
    expect(await store().outbox.getDelivery(message.id)).toEqual({ ...state, updatedAt: epochMs });
    expect(await store().outbox.queue.nextDueAt()).toBeNull();
  });

  test("raises usage to given counts, never lowers it, and continues counting", async () => {
    const server = await makeServer(store());
    const at = Date.UTC(2034, 4, 5);
    const day = dayOf(at);
    for (const offset of [0, 1, 2]) await store().addMessages([draft(server, { at: at + offset })]);
    await store().raiseUsage([]);
    for (let round = 0; round < 2; round += 1) {
      await store().raiseUsage([
        { ...noUsage, day, team: null, email: 2, sms: 4 },
        { ...noUsage, day: day + 2, team: null, email: 1 },
      ]);
    }
    await store().addMessages([draft(server, { at: at + 3 })]);
    const expected = [
      { day, email: 4, sms: 4 },
      { day: day + 2, email: 1, sms: 0 },
    ];
    expect((await store().listUsage(day)).filter((one) => one.day < day + 3)).toEqual(expected);
  });
}
