/** Manually written or modified exports: rejected with the line number, and nothing of that line stored. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newServerId } from "../../src/core/ids.ts";
import type { Store } from "../../src/store/store.ts";
import { contents, epochMs, fill, tellAll, type Content } from "./content.ts";
import { anSqliteStore, exported, imported } from "./stores.ts";

type Json = Record<string, unknown>;

/** Returns the export of a store as modifiable lines. */
async function linesOf(store: Store): Promise<Json[]> {
  return (await exported(store))
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Json);
}

const bytesOf = (lines: readonly unknown[]): Buffer =>
  Buffer.from(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));

function sample(): Content {
  const usable = contents.filter(({ messages }) => messages.length > 6 && messages.some(({ raw }) => raw.length > 0));
  const [content] = fc.sample(usable, { numRuns: 1, seed: 3 });
  if (content === undefined) throw new Error("no content");
  return content;
}

interface SampleExport {
  readonly sample: Content;
  readonly lines: readonly Json[];
  /** Result of `tellAll` for the exported store. */
  readonly content: unknown;
}
let cachedExport: Promise<SampleExport> | undefined;

/** Returns the export of {@link sample} and its content, which all tests share. */
async function sampleExport(): Promise<SampleExport> {
  cachedExport ??= (async () => {
    await using source = await anSqliteStore();
    const content = sample();
    await fill(source.store, content);
    return { sample: content, lines: await linesOf(source.store), content: await tellAll(source.store) };
  })();
  return cachedExport;
}

/** Returns the index of the first line of a kind. */
function at(lines: readonly Json[], kind: string, where: (line: Json) => boolean = () => true): number {
  return lines.findIndex((line) => line["kind"] === kind && where(line));
}

const detailOf = (line: Json): Json => line["detail"] as Json;
const messageOf = (line: Json): Json => detailOf(line)["message"] as Json;
const isMail = (line: Json): boolean => line["raw"] !== "";
const hasAttachment = (line: Json): boolean => (messageOf(line)["attachments"] as unknown[]).length > 0;

const changes: readonly (readonly [string, string, (line: Json) => unknown, RegExp, ((line: Json) => boolean)?])[] = [
  ["no JSON", "message", () => '{"kind":"message"', /is not JSON/],
  ["an empty line", "key", () => "", /is not JSON/],
  ["null", "key", () => "null", /kind must be one of/],
  ["a list", "key", () => [], /kind must be one of/],
  ["an unknown kind", "key", (line) => ({ ...line, kind: "secret" }), /kind must be one of user, team/],
  ["a kind of all objects", "key", (line) => ({ ...line, kind: "constructor" }), /kind must be one of/],
  ["an unknown field", "server", (line) => ({ ...line, color: "red" }), /color is not a known member/],
  [
    "an unknown field by its prototype",
    "server",
    (line) => JSON.stringify(line).replace("{", '{"__proto__":{},'),
    /__proto__ is not a known member/,
  ],
  [
    "an unknown field deep inside",
    "message",
    (line) => ({ ...line, summary: { ...(line["summary"] as Json), x: 1 } }),
    /summary\.x is not a known member/,
  ],
  ["a missing field", "device", ({ name: _name, ...line }) => line, /name must be a string/],
  ["a number for a text", "server", (line) => ({ ...line, password: 7 }), /password must be a string/],
  ["a text for a number", "server", (line) => ({ ...line, retired: "7" }), /retired must be a whole number/],
  ["a negative instant", "server", (line) => ({ ...line, createdAt: -1 }), /createdAt must be a number of at least 0/],
  [
    "an infinite number",
    "server",
    (line) => JSON.stringify(line).replace(/"createdAt":\d+/, '"createdAt":1e999'),
    /createdAt must be/,
  ],
  ["a server's id that is none", "server", (line) => ({ ...line, id: "UPPER123" }), /id must be a server's id/],
  ["a hash that is none", "key", (line) => ({ ...line, hash: "0".repeat(63) }), /hash must be the hash of a key/],
  [
    "a day beyond all",
    "usage",
    (line) => ({ ...line, days: [{ day: 2 ** 40, email: 1, sms: 0 }] }),
    /days\[0\]\.day must be at most/,
  ],
  [
    "a key of a server that is not there",
    "key",
    (line) => ({ ...line, server: newServerId() }),
    /refers to the server .*, which has no earlier line/,
  ],
  [
    "a message of a server that is not there",
    "message",
    (line) => ({ ...line, id: otherId(line) }),
    /id refers to the server/,
  ],
  ["a message's id that is none", "message", (line) => ({ ...line, id: "x" }), /id must be a message's id/],
  [
    "another id in the summary",
    "message",
    (line) => ({ ...line, summary: { ...(line["summary"] as Json), id: otherId(line) } }),
    /summary\.id is that of another message/,
  ],
  [
    "another server in the detail",
    "message",
    (line) => withMessage(line, { server: newServerId() }),
    /detail\.message\.server is not the server/,
  ],
  [
    "another instant in the detail",
    "message",
    (line) => withMessage(line, { received: "2020-01-01T00:00:00.000Z" }),
    /received is not the time/,
  ],
  [
    "another type in the detail",
    "message",
    (line) => withMessage(line, { type: "SMS" }),
    /type is not that of the summary/,
    isMail,
  ],
  [
    "an attachment of another message",
    "message",
    withForeignAttachment,
    /attachments\[0\]\.id does not follow/,
    hasAttachment,
  ],
  [
    "attachments without parts",
    "message",
    (line) => ({ ...line, detail: { ...detailOf(line), parts: [] } }),
    /must be as many/,
    hasAttachment,
  ],
  ["parts outside of the mail", "message", withFarPart, /is outside of the raw bytes/, hasAttachment],
  [
    "a delivery inside the message",
    "message",
    (line) => withMessage(line, { delivery: {} }),
    /detail\.message\.delivery is not a known member/,
  ],
  ["raw bytes that are not base64", "message", (line) => ({ ...line, raw: "Zm9v*" }), /raw must be base64/],
  [
    "a queued delivery",
    "message",
    (line) => ({ ...line, delivery: { status: "Queued", attempts: 0, lastError: null, updatedAt: 1 } }),
    /delivery\.status must be one of/,
  ],
  ["a header in the midst", "key", () => ({ kind: "header" }), /kind must be one of/],
];

function otherId(line: Json): string {
  return (line["id"] as string).replace(/^.{8}/, "00000000");
}

function withMessage(line: Json, fields: Json): Json {
  return { ...line, detail: { ...detailOf(line), message: { ...messageOf(line), ...fields } } };
}

function withForeignAttachment(line: Json): Json {
  const attachments = messageOf(line)["attachments"] as readonly Json[];
  return withMessage(line, { attachments: attachments.map((one) => ({ ...one, id: otherId(one) })) });
}

function withFarPart(line: Json): Json {
  const parts = detailOf(line)["parts"] as readonly Json[];
  return { ...line, detail: { ...detailOf(line), parts: parts.map((one) => ({ ...one, bodyEnd: 1e9 })) } };
}

describe("an invalid line is reported, and the lines before it are imported", () => {
  const cases = changes.map(([name, kind, change, expected, where]) => ({ name, kind, change, expected, where }));
  /** Indices of invalid lines whose imports were resumed: that depends on the lines before them only. */
  const resumed = new Set<number>();
  test.each(cases)("$name", async ({ kind, change, expected, where }) => {
    await using second = await anSqliteStore();
    const { lines, content } = await sampleExport();
    const index = at(lines, kind, where);
    const line = lines[index];
    if (line === undefined) throw new Error(`no line of ${kind}`);
    const changed = lines.with(index, change(line) as Json);
    const refusal = imported(second.store, bytesOf(changed));
    await expect(refusal).rejects.toThrow(expected);
    await expect(refusal).rejects.toThrow(new RegExp(`^line ${index + 1}: `));
    const servers = await second.store.listServers();
    const stored = servers.reduce((sum, { messages }) => sum + messages, 0);
    expect(stored).toBe(lines.slice(0, index).filter((one) => one["kind"] === "message").length);
    if (resumed.has(index)) return;
    resumed.add(index);
    // The correct file resumes from there.
    await imported(second.store, bytesOf(lines));
    expect(await tellAll(second.store)).toEqual(content);
  });
});

describe("an incomplete file", () => {
  test("is reported wherever it was truncated, after importing what precedes", async () => {
    await using first = await anSqliteStore();
    await fill(first.store, sample());
    const bytes = await exported(first.store);
    const told = await tellAll(first.store);
    await using second = await anSqliteStore();
    const property = fc.asyncProperty(
      fc.nat(bytes.length - 1),
      fc.integer({ min: 1, max: 5000 }),
      async (end, chunkBytes) => {
        const part = bytes.subarray(0, end);
        const number = part.toString("latin1").split("\n").length;
        await expect(imported(second.store, part, { chunkBytes })).rejects.toThrow(
          new RegExp(`^line ${number}: the export is truncated: its last line is missing`),
        );
      },
    );
    await fc.assert(property, { numRuns: 25 });
    await imported(second.store, bytes);
    expect(await tellAll(second.store)).toEqual(told);
  });

  test.each([
    ["a line was taken out", (lines: Json[]) => lines.toSpliced(at(lines, "message"), 1)],
    [
      "a line was changed",
      (lines: Json[]) => lines.with(at(lines, "device"), { ...lines[at(lines, "device")], name: "other" }),
    ],
    [
      "a line came twice",
      (lines: Json[]) => lines.toSpliced(at(lines, "message"), 0, lines[at(lines, "message")] ?? {}),
    ],
  ])("is recognised at its end: %s", async (_name, change) => {
    await using store = await anSqliteStore();
    const { lines } = await sampleExport();
    await expect(imported(store.store, bytesOf(change([...lines])))).rejects.toThrow(
      /^line \d+: does not match the lines before it/,
    );
  });

  test("is rejected when anything follows its last line", async () => {
    await using first = await anSqliteStore();
    await fill(first.store, sample());
    const lines = await linesOf(first.store);
    await expect(imported(first.store, bytesOf([...lines, lines[1]]))).rejects.toThrow("follows the last line");
  });
});

describe("the first line", () => {
  const header = {
    kind: "header",
    format: "restante-export",
    version: 1,
    writtenBy: "restante 9",
    writtenAt: "",
    servers: null,
  };
  test.each([
    [
      { ...header, version: 2 },
      /^line 1: has version 2 of the format, written by restante 9, but this release reads version 1/,
    ],
    [{ ...header, version: 0 }, /^line 1: version must be 1/],
    [{ ...header, version: "1" }, /^line 1: version must be a whole number/],
    [{ ...header, format: "other" }, /^line 1: is not the first line of an export/],
    ["From ann@x.test Thu Jan  1 00:00:00 1970", /^line 1: is not JSON/],
    ["null", /^line 1: is not the first line of an export/],
    ["\ufeff{}", /^line 1: is not JSON/],
  ])("%j", async (line, expected) => {
    await using first = await anSqliteStore();
    await expect(imported(first.store, bytesOf([line]))).rejects.toThrow(expected);
  });

  test("is missing from an empty file", async () => {
    await using first = await anSqliteStore();
    await expect(imported(first.store, Buffer.alloc(0))).rejects.toThrow(/^line 1: the export is truncated/);
  });

  test("is rejected unless it is UTF-8", async () => {
    await using first = await anSqliteStore();
    await expect(imported(first.store, Buffer.from([0x22, 0xff, 0x22, 0x0a]))).rejects.toThrow("line 1: is not UTF-8");
  });
});

describe("existing records with different content are reported and kept", () => {
  async function conflict(change: (store: Store, content: Content) => Promise<unknown>): Promise<string> {
    const second = await anSqliteStore();
    const { sample: content, lines } = await sampleExport();
    const bytes = bytesOf(lines);
    await imported(second.store, bytes);
    await change(second.store, content);
    const before = await tellAll(second.store);
    const refusal = imported(second.store, bytes);
    const outcome = await refusal.then(
      () => "imported",
      (error: unknown) => (error as Error).message,
    );
    expect(await tellAll(second.store)).toEqual(before);
    await second[Symbol.asyncDispose]();
    return outcome;
  }

  test("a server's settings", async () => {
    const outcome = await conflict(async (store, { servers }) =>
      store.updateServer(servers[1]?.id ?? newServerId(), { users: ["x"] }),
    );
    expect(outcome).toMatch(/^line \d: server [a-z0-9]{8} exists with a different value of users$/);
  });

  test("a server's zone", async () => {
    const outcome = await conflict(async (store, { servers }) =>
      store.putZone(servers[0]?.id ?? newServerId(), "other. TXT x"),
    );
    expect(outcome).toMatch(/has a different zone|^imported$/);
  });

  test("a message", async () => {
    const outcome = await conflict(async (store, { messages }) => {
      const mail = messages.slice(1).find(({ raw }) => raw.length > 0);
      if (mail === undefined) throw new Error("no mail");
      await store.deleteMessage(mail.id);
      await store.addMessages([{ ...mail, raw: Buffer.from("other") }]);
    });
    expect(outcome).toMatch(/^line \d+: message [0-9a-f-]{36}, or one .*, exists with different content$/);
  });

  test("an SMS", async () => {
    const outcome = await conflict(async (store, { messages }) => {
      const text = messages.slice(1).find(({ raw }) => raw.length === 0);
      if (text === undefined) throw new Error("no body");
      await store.deleteMessage(text.id);
      await store.addMessages([{ ...text, detailJson: Buffer.from(`{"other":${epochMs}}`) }]);
    });
    expect(outcome).toMatch(/^line \d+: message .* exists with different content$/);
  });

  test("phrases", async () => {
    expect(await conflict(async (store) => store.phrases.setPhrases(["other"]))).toMatch(
      /different phrases exist$|^imported$/,
    );
  });
});

describe("a selection of servers", () => {
  test("imports these with their keys and phone numbers, and no account-level records", async () => {
    await using first = await anSqliteStore();
    await using second = await anSqliteStore();
    await using third = await anSqliteStore();
    const content = sample();
    await fill(first.store, content);
    const chosen = content.servers[1]?.id ?? newServerId();
    await imported(second.store, await exported(first.store, [chosen]));
    await imported(third.store, await exported(first.store), { servers: [chosen] });
    for (const { store } of [second, third]) {
      expect((await store.listServers()).map(({ id }) => id)).toEqual([chosen]);
      expect((await store.listKeys()).map(({ server }) => server)).toEqual([chosen]);
      expect((await store.phoneNumbers.listPhoneNumbers()).map(({ server }) => server)).toEqual([chosen]);
      expect([await store.listDevices(), await store.phrases.getPhrases()]).toEqual([[], null]);
    }
    expect(await tellAll(second.store)).toEqual(await tellAll(third.store));
  });

  test("is rejected when a server does not exist", async () => {
    await using first = await anSqliteStore();
    const absent = newServerId();
    await expect(exported(first.store, [absent])).rejects.toThrow(`There is no server ${absent}`);
    await expect(imported(first.store, await exported(first.store), { servers: [absent] })).rejects.toThrow(
      `There is no server ${absent} in the export`,
    );
  });
});
