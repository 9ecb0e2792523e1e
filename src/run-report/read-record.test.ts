import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readPicture, readRecord, removeRecord } from "./read-record.ts";
import { pictureSaver, writeTest } from "./record-test.ts";
import type { MessageRecord, TestRecord } from "./record-schema.ts";

const empty: TestRecord = {
  version: 1,
  title: "later",
  startedAt: "2026-11-29T10:00:01Z",
  endedAt: "2026-11-29T10:00:02Z",
  addresses: [],
  waits: [],
  messages: [],
  omittedCount: 0,
  problems: [],
};

const message: MessageRecord = {
  id: "6f1c",
  type: "Email",
  from: [],
  to: [],
  received: "2026-11-29T10:00:01Z",
  codes: [],
  links: [],
  attachments: [],
  checks: [],
  events: [],
  problems: [],
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-record-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the record of a run", () => {
  test("returns tests by their start, and their pictures", async () => {
    await writeTest(folder, empty);
    await writeTest(folder, { ...empty, title: "earlier", startedAt: "2026-11-29T10:00:00Z" });
    const name = await pictureSaver(folder)(new Uint8Array([1, 2]));
    expect((await readRecord(folder)).map(({ title }) => title)).toEqual(["earlier", "later"]);
    expect(await readPicture(folder, name)).toEqual(Buffer.from([1, 2]));
    expect(await readPicture(folder, "missing.png")).toBeNull();
  });

  test.each([
    ["{", "not JSON"],
    ["[]", "Must be an object"],
    [JSON.stringify({ ...empty, version: 2 }), "version: Must be a whole number from 1 to 1"],
    [JSON.stringify({ ...empty, waits: {} }), "waits: Must be an array"],
    [
      JSON.stringify({ ...empty, messages: [{ ...message, picture: "../../../etc/passwd" }] }),
      "messages[0].picture: Must match ^[0-9a-f]{64}\\.png$",
    ],
  ])("names a file that is none: %s", async (content, reason) => {
    writeFileSync(join(folder, "a.json"), content);
    await expect(readRecord(folder)).rejects.toThrow(`${join(folder, "a.json")}: not the record of a test`);
    await expect(readRecord(folder)).rejects.toThrow(reason);
  });

  test("is removed without other files of its folder", async () => {
    await writeTest(folder, empty);
    await pictureSaver(folder)(new Uint8Array([1]));
    writeFileSync(join(folder, "0b1c2d3e-0000-4000-8000-000000000000.part"), "{");
    expect(await readRecord(folder)).toHaveLength(1);
    writeFileSync(join(folder, "kept.json"), "{}");
    await removeRecord(folder);
    expect(readdirSync(folder)).toEqual(["kept.json"]);
    rmSync(join(folder, "kept.json"));
    await removeRecord(folder);
    expect(() => readdirSync(folder)).toThrow("ENOENT");
  });
});
