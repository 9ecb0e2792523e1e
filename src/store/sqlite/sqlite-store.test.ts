import { rm } from "node:fs/promises";
import { describeStore, everyPart, type StorePart } from "../conformance/describe-store.ts";
import { reopenable, type OpenedStore } from "../conformance/setup.ts";
import { directoryWithDatabase } from "./new-database.test-aid.ts";
import { openSqliteStore, type ThreadStarters } from "./open.ts";
import { sameThread } from "./threads/same-thread.test-aid.ts";

/**
 * Parts about calls at the same time, about opening and closing, and about large buffers, which are transferred to threads.
 * Calls of the other parts are messages to a port as well, in the thread of the test.
 */
const partsWithThreads: readonly StorePart[] = [
  "messages",
  "content of messages",
  "lists",
  "search",
  "changes",
  "outbox",
  "reads of whole messages",
  "large servers",
  "concurrency",
  "lifecycle",
  "comparison with a model",
];

async function open(threads?: ThreadStarters): Promise<OpenedStore> {
  const directory = directoryWithDatabase("restante-store-");
  return reopenable(
    () => openSqliteStore({ directory, durable: false, ...(threads && { threads }) }),
    () => rm(directory, { recursive: true }),
  );
}

describeStore("SQLite", async () => await open(), partsWithThreads);
describeStore(
  "SQLite in one thread",
  async () => await open(sameThread),
  everyPart.filter((part) => !partsWithThreads.includes(part)),
);
