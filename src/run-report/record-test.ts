/** Writes the record of a test while its service runs: the service may end with the run, and its messages with the test. */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RestanteClient } from "../client/client.ts";
import { MessageDescriber } from "./describe-message.ts";
import { cutAll, type EndedTest, reasonOf, recordVersion, type TestRecord } from "./record-schema.ts";

/** Messages of one test that are recorded, the newest ones. */
const testMessageCountMax = 20;
/** Messages of an inbox that are listed. */
const listedCountMax = 1000;
/** Time for all requests of a test. What is not read by then is a problem of the record. */
const recordMsMax = 30_000;

/** Server with the messages of a test, and the folder of the record. */
export interface RecordPlace {
  readonly client: RestanteClient;
  readonly server: string;
  readonly folder: string;
}

/**
 * Adds a test with the messages to its addresses to the record in a folder. What the service does not return is one of the
 * problems of the record; rejects when the folder cannot be written.
 */
export async function recordTest(place: RecordPlace, test: EndedTest): Promise<void> {
  const endedAt = new Date().toISOString();
  await writeTest(place.folder, { version: recordVersion, ...test, endedAt, ...(await describeMail(place, test)) });
}

async function describeMail(
  { client, server, folder }: RecordPlace,
  { addresses }: EndedTest,
): Promise<Pick<TestRecord, "messages" | "omittedCount" | "problems">> {
  const signal = AbortSignal.timeout(recordMsMax);
  const describer = new MessageDescriber({ client, savePicture: pictureSaver(folder), signal });
  const problems: string[] = [];
  // A message may be to several addresses of the test.
  const ids = new Set<string>();
  for (const sentTo of addresses) {
    try {
      const { items } = await client.messages.search(server, { sentTo }, { itemsPerPage: listedCountMax, signal });
      for (const { id } of items) ids.add(id);
    } catch (error) {
      problems.push(`messages to ${sentTo}: ${reasonOf(error)}`);
    }
  }
  const chosen = [...ids].slice(0, testMessageCountMax);
  const described = await describer.describeAll(chosen);
  return {
    messages: described.messages.toSorted((one, other) => Date.parse(one.received) - Date.parse(other.received)),
    omittedCount: ids.size - chosen.length,
    problems: cutAll([...problems, ...described.problems]),
  };
}

/** Adds a test to the record in a folder, which is created. A file is complete, also when the process is killed. */
export async function writeTest(folder: string, test: TestRecord): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, randomUUID());
  await writeFile(`${file}.part`, JSON.stringify(test));
  await rename(`${file}.part`, `${file}.json`);
}

/** Returns a function that stores pictures in the folder of a record under the hash of their content. */
export function pictureSaver(folder: string): (png: Uint8Array) => Promise<string> {
  return async (png) => {
    const name = `${createHash("sha256").update(png).digest("hex")}.png`;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), png);
    return name;
  };
}
