/** `restante report`: the mail of a test run as one HTML file, from its record or from a server of the running service. */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readVersion } from "../../app/version.ts";
import { MessageDescriber } from "../../run-report/describe-message.ts";
import { readPicture, readRecord, removeRecord } from "../../run-report/read-record.ts";
import { type MessageRecord, messageCountMax, recordVersion, type TestRecord } from "../../run-report/record-schema.ts";
import { pictureSaver } from "../../run-report/record-test.ts";
import { countsOf, reportPage } from "../../run-report/report-page.ts";
import { countText } from "../../run-report/report-text.ts";
import { type Action, type Call, exitCodes, UsageError } from "../command.ts";
import { printable } from "../report-formats.ts";
import { recordFolderOf } from "./record.ts";
import { openService, type Service } from "./service-client.ts";

const defaultFile = "restante-report.html";
const defaultMessageCount = 200;

/** Runs `restante report`: writes the file, and prints its name with the numbers of the report. */
export const report: Action = async (call) => {
  const { flags, terminal } = call;
  const file = flags.get("out") ?? defaultFile;
  const tests = flags.has("server") ? await reportServer(call, file) : await reportRecord(call, file);
  const { failed, messages } = countsOf(tests);
  const numbers = [countText(tests.length, flags.has("server") ? "recipient" : "test"), countText(messages, "message")];
  if (!flags.has("server")) numbers.push(`${String(failed)} failed`);
  terminal.out(`${file}: ${numbers.join(", ")}\n`);
  return exitCodes.done;
};

async function reportRecord({ flags, terminal }: Call, file: string): Promise<readonly TestRecord[]> {
  for (const name of ["since", "messages"])
    if (flags.has(name)) throw new UsageError(`--${name} selects messages of a server: name it with --server`);
  const folder = flags.get("record") ?? recordFolderOf(terminal);
  const tests = await readRecord(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return [];
  });
  if (tests.length === 0) {
    const reason = `No test recorded its mail in ${folder}`;
    throw new Error(`${reason}; set RESTANTE_RECORD=${folder} for the test run, or report a server with --server`);
  }
  await writePage(file, folder, tests);
  if (flags.has("remove")) await removeRecord(folder);
  return tests;
}

/** Pictures wait in a temporary folder, so that one at a time is in memory. */
async function reportServer(call: Call, file: string): Promise<readonly TestRecord[]> {
  for (const name of ["record", "remove"])
    if (call.flags.has(name)) throw new UsageError(`--${name} is about the record of a test run: leave out --server`);
  const service = openService(call);
  const folder = await mkdtemp(join(tmpdir(), "restante-report-"));
  try {
    const tests = await describeServer(service, folder, choiceOf(call));
    if (tests.length === 0) throw new Error(`The server ${service.server} has no such messages`);
    await writePage(file, folder, tests);
    return tests;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Choice extends Pick<Call, "terminal"> {
  readonly receivedAfter?: string;
  readonly count: number;
}

function choiceOf({ flags, terminal }: Call): Choice {
  const given = flags.get("messages");
  const count = given === undefined ? defaultMessageCount : Number(given);
  if (!Number.isInteger(count) || count < 1 || count > messageCountMax)
    throw new UsageError(`--messages: must be a whole number from 1 to ${String(messageCountMax)}`);
  const since = flags.get("since");
  return { count, terminal, ...(since !== undefined && { receivedAfter: since }) };
}

/** Describes the newest messages of a server, with those to one recipient as one test. */
async function describeServer(
  { client, server }: Service,
  folder: string,
  { count, terminal, ...bounds }: Choice,
): Promise<readonly TestRecord[]> {
  const describer = new MessageDescriber({ client, savePicture: pictureSaver(folder) });
  const { items } = await client.messages.list(server, { itemsPerPage: count, ...bounds });
  const { messages, problems } = await describer.describeAll(items.map(({ id }) => id).toReversed());
  for (const problem of problems) terminal.error(`restante: left out: ${printable(problem)}\n`);
  const byRecipient = Map.groupBy(messages, ({ to: [recipient = "unknown recipient"] }) => recipient);
  return Array.from(byRecipient, ([recipient, own]) => testOf(recipient, own)).toSorted(
    (one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt),
  );
}

function testOf(title: string, messages: readonly MessageRecord[]): TestRecord {
  const instants = messages.flatMap(({ events }) => events.map(({ at }) => at)).toSorted();
  return {
    version: recordVersion,
    title,
    startedAt: instants[0] ?? "",
    endedAt: instants.at(-1) ?? "",
    addresses: [],
    waits: [],
    messages,
    omittedCount: 0,
    problems: [],
  };
}

/** Writes beside the file and renames, so that a report is never a part of one. */
async function writePage(file: string, folder: string, tests: readonly TestRecord[]): Promise<void> {
  const parts = { tests, readPicture: async (name: string) => readPicture(folder, name), version: readVersion() };
  const unfinished = `${resolve(file)}.part`;
  try {
    await writeFile(unfinished, reportPage(parts));
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
