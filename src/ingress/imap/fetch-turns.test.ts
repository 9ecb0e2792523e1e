/** A long FETCH leaves turns of the event loop to everybody else. */
import { expect, test } from "vitest";
import { ByteBudget } from "../../core/byte-budget.ts";
import { turnMsMax } from "../../core/shared-turns.ts";
import { LineClient } from "../../testing/line-client.test-aid.ts";
import { startFakeImap } from "./fake-imap.test-aid.ts";

const messageCount = 3000;

/** Keeps the thread busy as the store does that reads a mail. */
function work(): void {
  const end = performance.now() + 0.2;
  while (performance.now() < end);
}

test("answers a bystander many times during a FETCH of 3,000 messages", async () => {
  const listener = await startFakeImap({ messageCount, onReadHead: work }, new ByteBudget(1024 * 1024), {
    log: { debug: () => undefined, error: () => undefined },
    metrics: { sessionOpened: () => undefined, sessionClosed: () => undefined, refused: () => undefined },
  });
  await using client = await LineClient.open(listener.port);
  await using bystander = await LineClient.open(listener.port);
  expect(await client.line()).toMatch(/^\* OK/);
  expect(await bystander.line()).toMatch(/^\* OK/);
  client.send("a LOGIN abcd1234 right\r\nb SELECT INBOX\r\nc FETCH 1:* BODY.PEEK[HEADER.FIELDS (SUBJECT)]\r\n");
  const progress = { isFetched: false };
  const fetched = (async (): Promise<number> => {
    let count = 0;
    for (let line = await client.line(); !line?.startsWith("c OK"); line = await client.line()) {
      if (/^\* \d+ FETCH/.test(line ?? "")) count += 1;
    }
    progress.isFetched = true;
    return count;
  })();
  let answerCount = 0;
  while (!progress.isFetched) {
    expect(await bystander.ask("x NOOP")).toMatch(/^x OK/);
    if (!progress.isFetched) answerCount += 1;
  }
  expect(await fetched).toBe(messageCount);
  // The work of all messages fills sixty turns; each has room for an answer.
  expect(answerCount).toBeGreaterThan((messageCount * 0.2) / turnMsMax / 3);
  await listener.close();
});
