import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import type { ReaderCalls } from "../threads/calls.ts";
import { defaultIndexSettings } from "../text-index/index-work.ts";
import { openParts } from "../open.ts";
import { encodeBatch } from "../messages/message-batch.ts";
import { TextScans } from "./text-scans.ts";
import type { Thread } from "../../threads/thread.ts";

test("cancels the search on the reader thread only when all of its callers have aborted", async () => {
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const reader = {
    call: async (name: string, parameters: readonly unknown[]) => {
      log.push(`${name} ${parameters.at(-1) as number}`);
      if (name === "search") await new Promise<void>((resolve) => ends.push(resolve));
    },
  } as unknown as Thread<ReaderCalls>;
  const scans = new TextScans(reader);
  const { id: server } = aServer();
  const abort = new AbortController();
  const bodyOf = (term: string) => ({ kind: "text", field: "body", term }) as const;
  const asked = { server, result: "summaries" } as const;
  const searches = [
    scans
      .search({ ...asked, expression: bodyOf("absent"), page: { ...page(), signal: abort.signal } })
      .catch(() => "left"),
    scans.search({ ...asked, expression: bodyOf("other"), page: page() }),
  ];
  await setImmediate();
  expect(log).toEqual(["search 1", "search 2"]);
  abort.abort();
  expect(await searches[0]).toBe("left");
  expect(log).toEqual(["search 1", "search 2", "cancelSearch 1"]);
  for (const end of ends) end();
  await searches[1];
});

test("a cancelled search ends between two slices while others continue", async () => {
  const index = { ...defaultIndexSettings, serverMessageCountMin: Infinity };
  const parts = openParts({ directory: await aDirectory(), durable: false, index });
  const { id: server } = aServer();
  await parts.writer.call("changeRecord", ["servers", "createServer", [{ ...aServer(), id: server }]]);
  const messages = Array.from({ length: 3000 }, () => draft(server, { body: "some words ".repeat(300) }));
  await parts.writer.call("addMessages", [encodeBatch(messages), {}]);
  const search = async (body: string, number: number): Promise<number | string> =>
    await parts.reader
      .call("search", [
        { server, expression: { kind: "text", field: "body", term: body }, page: page(), result: "summaries" },
        number,
      ])
      .then(
        ({ count }) => count,
        (error: unknown) => (error as { code: string }).code,
      );
  const order: string[] = [];
  const searches = [search("absent", 1), search("absent too", 2)].map(async (active, at) => {
    const outcome = await active;
    order.push(`${at} ${outcome}`);
  });
  await parts.reader.call("cancelSearch", [1]);
  await Promise.all(searches);
  expect(order).toEqual(["0 unavailable", "1 0"]);
  await Promise.all([parts.reader.close(), parts.indexing.close()]);
  parts.database.close();
  await parts.writer.close();
  parts.release();
});
