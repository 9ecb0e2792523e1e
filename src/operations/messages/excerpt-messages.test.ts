import { expect, test } from "vitest";
import { createIdSource, newServerId } from "../../core/ids.ts";
import type { Context } from "../context.ts";
import { excerptMessages } from "./excerpt-messages.ts";

/** Stored detail of an email whose codes were found when it was received. */
const detail = Buffer.from(
  '{"glance":{"codes":["482913"],"sizeBytes":10,"inline":0,"files":[],"tags":[]},"message":{}}',
);

test("yields to the event loop between reads of stored messages, for any number of requests", async () => {
  let readsInTurn = 0;
  let readsInTurnMax = 0;
  const getDetail = async (): Promise<Uint8Array> => {
    readsInTurn += 1;
    readsInTurnMax = Math.max(readsInTurnMax, readsInTurn);
    return detail;
  };
  const marks: Partial<Context["store"]["marks"]> = { readMarks: async () => [] };
  const store: Partial<Context["store"]> = { getDetail, marks: marks as Context["store"]["marks"] };
  const bodies: Partial<Context["bodies"]> = {};
  const context = { store: store as Context["store"], bodies: bodies as Context["bodies"] } as Context;
  const source = createIdSource(() => 0);
  const server = newServerId();
  const ids = Array.from({ length: 30 }, () => source.next(server, "Received").id);
  const state = { isDone: false };
  const requests = Promise.all(
    Array.from({ length: 20 }, async () => excerptMessages(context, { keyId: "test", server: null }, ids)),
  ).finally(() => {
    state.isDone = true;
  });
  while (!state.isDone) {
    readsInTurn = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const excerpts = await requests;
  expect(excerpts.every((one) => one.length === ids.length)).toBe(true);
  expect(readsInTurnMax).toBeLessThanOrEqual(8);
});
