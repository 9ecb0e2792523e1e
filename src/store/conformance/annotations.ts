import { expect, test } from "vitest";
import { annotationBytesMax } from "../../core/limits.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { annotationKinds, type Annotation } from "../mark-store.ts";
import type { NewMessage, Store } from "../store.ts";
import { draft, epochMs } from "./drafts.ts";
import { makeServer, useStore, type OpenStore } from "./setup.ts";

const transcript: Annotation = {
  kind: "transcript",
  json: '{"entries":["250 Ok ✓"]}',
};
const scan: Annotation = { kind: "scan", json: "[1]" };

/** Annotations: stored with a message or later, read by kind, deleted with their message. */
export function describeAnnotations(open: OpenStore): void {
  const store = useStore(open);
  const add = async (annotations: readonly Annotation[] = []): Promise<NewMessage> => {
    const message = { ...draft(await makeServer(store())), annotations };
    expect(await store().addMessages([message])).toMatchObject([{ outcome: "stored" }]);
    return message;
  };
  const read = async (id: MessageId): Promise<readonly (string | undefined)[]> =>
    Promise.all(annotationKinds.map((kind) => store().annotations.getAnnotation(id, kind)));

  test("returns annotations that were stored with their message, by kind", async () => {
    expect(await read((await add([transcript, scan])).id)).toEqual([transcript.json, scan.json]);
    expect(await read((await add([scan])).id)).toEqual([undefined, scan.json]);
    expect(await read((await add()).id)).toEqual([undefined, undefined]);
  });

  test("stores each annotation with its own message of a call", async () => {
    const server = await makeServer(store());
    const messages = [
      { ...draft(server), annotations: [transcript] },
      draft(server),
      { ...draft(await makeServer(store())), annotations: [scan] },
    ];
    await store().addMessages(messages);
    expect(await Promise.all(messages.map(async ({ id }) => await read(id)))).toEqual([
      [transcript.json, undefined],
      [undefined, undefined],
      [undefined, scan.json],
    ]);
  });

  test("adds an annotation to a stored message and replaces it", async () => {
    const { id } = await add([transcript]);
    expect(await store().annotations.putAnnotation(id, scan)).toBe(true);
    expect(await store().annotations.putAnnotation(id, { ...scan, json: "[2]" })).toBe(true);
    expect(await read(id)).toEqual([transcript.json, "[2]"]);
  });

  test("stores an annotation of the maximum size and rejects a larger one", async () => {
    const largest = JSON.stringify("é".repeat(annotationBytesMax / 2 - 1));
    const { id } = await add([{ kind: "scan", json: largest }]);
    expect(await read(id)).toEqual([undefined, largest]);
    expect(
      await store().annotations.putAnnotation(id, {
        kind: "transcript",
        json: largest,
      }),
    ).toBe(true);
    const tooLarge = { kind: "scan", json: `${largest} ` } as const;
    await expect(store().annotations.putAnnotation(id, tooLarge)).rejects.toThrow("exceeds 262144");
    expect(await read(id)).toEqual([largest, largest]);
  });

  test("returns false for a message that does not exist", async () => {
    const server = await makeServer(store());
    const { id } = draft(server);
    expect(await store().annotations.putAnnotation(id, scan)).toBe(false);
    await store().addMessages([draft(server)]);
    expect(await read(id)).toEqual([undefined, undefined]);
  });

  test("ignores annotations of messages that are not stored", async () => {
    const message = await add();
    const other = {
      ...message,
      raw: Buffer.from("other"),
      annotations: [scan],
    };
    expect(await store().addMessages([other])).toEqual([{ outcome: "collision" }]);
    expect(await read(message.id)).toEqual([undefined, undefined]);
  });

  test("keeps the annotations when a message is stored again or replaced", async () => {
    const message = await add([transcript]);
    await store().annotations.putAnnotation(message.id, scan);
    await store().addMessages([{ ...message, annotations: [{ ...transcript, json: "0" }] }]);
    const { annotations: _annotations, ...replacement } = {
      ...message,
      detailJson: Buffer.from("{}"),
    };
    expect(await store().reparses.replaceMessage(replacement)).toBeDefined();
    expect(await read(message.id)).toEqual([transcript.json, scan.json]);
  });

  test.each<readonly [string, (store: Store, message: NewMessage) => Promise<unknown>]>([
    ["the message is deleted", async (opened, { id }) => opened.deleteMessage(id)],
    ["the server is emptied", async (opened, { id }) => opened.emptyServer(serverOf(id))],
    ["the server is deleted", async (opened, { id }) => opened.deleteServer(serverOf(id))],
    [
      "the message expires",
      async (opened, { id }) =>
        opened.expireMessages(serverOf(id), {
          receivedBefore: epochMs + 1e9,
          keepNewest: null,
        }),
    ],
  ])("deletes annotations when %s", async (_, remove) => {
    const message = await add([transcript, scan]);
    await remove(store(), message);
    expect(await read(message.id)).toEqual([undefined, undefined]);
    expect(await store().annotations.putAnnotation(message.id, scan)).toBe(false);
    await store().addMessages([{ ...message, annotations: [] }]);
    expect(await read(message.id)).toEqual([undefined, undefined]);
  });

  test("returns annotations with whole messages", async () => {
    const server = await makeServer(store());
    const messages = [draft(server), { ...draft(server), annotations: [scan, transcript] }, draft(server)];
    await store().addMessages(messages);
    const read = await store().readMessages(server, null, 1e6);
    expect(read.map(({ annotations }) => annotations)).toEqual([undefined, [scan, transcript], undefined]);
  });

  test("ends a batch of whole messages when their annotations reach the requested bytes", async () => {
    const server = await makeServer(store());
    const large = [{ kind: "scan", json: JSON.stringify("x".repeat(10_000)) }] as const;
    await store().addMessages(
      Array.from({ length: 6 }, () => ({
        ...draft(server),
        annotations: large,
      })),
    );
    const counts: number[] = [];
    for (let after: MessageId | null = null; ;) {
      const batch = await store().readMessages(server, after, 25_000);
      const last = batch.at(-1);
      if (last === undefined) break;
      counts.push(batch.length);
      after = last.id;
    }
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(6);
    expect(Math.max(...counts)).toBeLessThanOrEqual(3);
  });
}

function serverOf(id: MessageId): ServerId {
  return decodeMessageId(id).server;
}
