/** Record of a test run: a JSON file for each test in one folder, with the pictures of its mails beside them. */
import { build, type ValueOf } from "../core/schema.ts";

/** Version of the format. */
export const recordVersion = 1;
/** Default folder of a record. */
export const recordFolder = "restante-record";
/** Most messages of one test. */
export const messageCountMax = 1000;
/** Most items of other lists. */
export const itemCountMax = 200;
/** Longest one-line text, in characters. */
export const lineLengthMax = 1000;
/** Longest text of several lines, in characters. */
export const textLengthMax = 20_000;

const line = build.string({ maxLength: lineLengthMax });
const text = build.string({ maxLength: textLengthMax });
const listOf = <Item>(items: Parameters<typeof build.array<Item>>[0]): ReturnType<typeof build.array<Item>> =>
  build.array(items, { maxItems: itemCountMax });
const lines = listOf(line);
const { optional } = build;

/** Schema of the verdict of a check; `unknown` when it was not made. */
const checkSchema = build.object({
  name: line,
  verdict: build.enum(["good", "warning", "bad", "unknown"]),
  summary: line,
  findings: lines,
});

/** Check of a message. */
export type CheckRecord = ValueOf<typeof checkSchema>;

/** Schema of an event of a message. */
const eventSchema = build.object({ at: line, name: line, detail: optional(line) });

/** Event of a message. `at` is an instant in ISO 8601. */
export type EventRecord = ValueOf<typeof eventSchema>;

/** Schema of a message. */
const messageSchema = build.object({
  id: line,
  type: build.enum(["Email", "SMS"]),
  subject: optional(line),
  from: lines,
  to: lines,
  received: line,
  codes: lines,
  links: listOf(build.object({ text: optional(line), url: line })),
  attachments: listOf(
    build.object({ name: optional(line), type: line, bytes: build.number({ minimum: 0, maximum: 2 ** 53 }) }),
  ),
  picture: optional(build.string({ pattern: "^[0-9a-f]{64}\\.png$" })),
  text: optional(text),
  checks: listOf(checkSchema),
  events: listOf(eventSchema),
  problems: lines,
});

/** Message of a test. `text` is that of its snapshot; `picture` the name of a file beside the record. */
export type MessageRecord = ValueOf<typeof messageSchema>;

/** Schema of a wait of a test for messages. `error` is the reason of one that failed. */
const waitSchema = build.object({
  title: line,
  startedAt: line,
  durationMs: build.number({ minimum: 0, maximum: 2 ** 53 }),
  error: optional(text),
});

const facts = {
  title: line,
  file: optional(line),
  status: optional(build.enum(["passed", "failed"])),
  startedAt: line,
  addresses: lines,
  waits: listOf(waitSchema),
};

/** Schema of what a runner knows about a test that ended. */
export const endedTestSchema = build.object(facts);

/** Test that ended, with the addresses of its inboxes. Instants are in ISO 8601. */
export type EndedTest = ValueOf<typeof endedTestSchema>;

/** Schema of a test with its mail. */
export const testSchema = build.object({
  version: build.integer({ minimum: recordVersion, maximum: recordVersion }),
  ...facts,
  endedAt: line,
  messages: build.array(messageSchema, { maxItems: messageCountMax }),
  omittedCount: build.integer({ minimum: 0, maximum: 2 ** 53 - 1 }),
  problems: lines,
});

/** Test with the mail that it received, the oldest first. Without `status`: messages of a server, without a test. */
export type TestRecord = ValueOf<typeof testSchema>;

/** Returns a text cut to a length; undefined when it is empty, which records leave out. */
export function cut(given: string, lengthMax: number = lineLengthMax): string | undefined {
  const found = given.length > lengthMax ? `${given.slice(0, lengthMax - 1)}…` : given;
  return found === "" ? undefined : found.toWellFormed();
}

/** Returns the first texts of a list, each cut to one line, without empty ones. */
export function cutAll(given: readonly string[]): readonly string[] {
  return given.flatMap((one) => cut(one) ?? []).slice(0, itemCountMax);
}

/** Returns the reason of an error in words. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "not read in time";
  return error instanceof Error ? error.message : String(error);
}
