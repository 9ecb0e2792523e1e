import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AuditEntry } from "../../core/audit-entry.ts";
import { commandEntry, createAuditFile, leaveForService, takeLeftEntries } from "./audit-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-audit-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const act = { action: "store.backup", target: null, server: null, details: { messages: 3 } } as const;
const entry = (at = Date.UTC(2026, 0, 1)): AuditEntry => commandEntry(at, act);
const linesOf = (name: string): readonly unknown[] =>
  readFileSync(join(folder, name), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));

describe("audit.jsonl", () => {
  test("contains one JSON object per line and has mode 0600", async () => {
    const write = createAuditFile(folder);
    const own = entry();
    await write([own, entry()]);
    await write([entry()]);
    expect(linesOf("audit.jsonl")).toHaveLength(3);
    expect(linesOf("audit.jsonl")[0]).toEqual({ ...own, at: "2026-01-01T00:00:00.000Z", user: null, email: null });
    expect(statSync(join(folder, "audit.jsonl")).mode & 0o777).toBe(0o600);
  });

  test("is rotated by size, up to four rotated files", async () => {
    const write = createAuditFile(folder, 300);
    for (let count = 0; count < 20; count += 1) await write([entry(count)]);
    const names = ["audit.jsonl", ...[1, 2, 3, 4].map((number) => `audit.jsonl.${String(number)}`)];
    expect(readdirSync(folder).toSorted()).toEqual(names);
    expect(linesOf("audit.jsonl").at(-1)).toMatchObject({ at: new Date(19).toISOString() });
    for (const name of names) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(300);
  });

  test("starts a new line after a write that failed", async () => {
    const write = createAuditFile(join(folder, "absent"));
    await expect(write([entry()])).rejects.toThrow("ENOENT");
    mkdirSync(join(folder, "absent"));
    writeFileSync(join(folder, "absent", "audit.jsonl"), '{"torn');
    await write([entry()]);
    expect(readFileSync(join(folder, "absent", "audit.jsonl"), "utf8")).toMatch(/^\{"torn\n\{"id":.*\}\n$/);
  });
});

describe("entries of commands", () => {
  test("are returned until they are forgotten, also after an interrupted recording", () => {
    expect(takeLeftEntries(folder)).toBeUndefined();
    leaveForService(folder, 5, act);
    const [first] = takeLeftEntries(folder)?.entries ?? [];
    expect(first).toMatchObject({ at: 5, by: "command", key: null, ...act });
    leaveForService(folder, 6, act);
    const again = takeLeftEntries(folder);
    expect(again?.entries).toEqual([first]);
    again?.forget();
    const next = takeLeftEntries(folder);
    expect(next?.entries.map(({ at }) => at)).toEqual([6]);
    next?.forget();
    expect(takeLeftEntries(folder)).toBeUndefined();
  });

  test("are returned without damaged lines, which are counted", () => {
    writeFileSync(join(folder, "audit-commands.jsonl"), '{"torn\n{}\n');
    leaveForService(folder, 5, act);
    appendFileSync(join(folder, "audit-commands.jsonl"), "[1]\n");
    expect(takeLeftEntries(folder)).toMatchObject({ entries: [{ at: 5 }], damagedCount: 3 });
  });
});
