import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import type { AuditEntry } from "../../core/audit-entry.ts";
import { epochMs } from "./drafts.ts";
import { useStore, type OpenStore } from "./setup.ts";

function anEntry(order: number, fields: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: `${String(order).padStart(12, "0")}-${randomBytes(4).toString("hex")}`,
    at: epochMs + order,
    by: "key",
    key: "k1",
    name: "CI ✓",
    clientAddress: "192.0.2.1",
    action: "key.create",
    target: "k2",
    server: null,
    details: { scope: "full", count: 3 },
    ...fields,
  };
}

/** The audit log: newest first, in pages, bounded by category. */
export function describeAudit(open: OpenStore): void {
  const store = useStore(open);

  test("lists entries as they were appended, newest first, in pages", async () => {
    const { store: own, dispose } = await open();
    onTestFinished(dispose);
    const entries = [0, 1, 2, 3, 4].map((order) => anEntry(order));
    await own.audit.appendAudit(entries.slice(2));
    await own.audit.appendAudit(entries.slice(0, 2));
    const newestFirst = entries.toReversed();
    expect(await own.audit.listAudit(0, 2)).toEqual({ entries: newestFirst.slice(0, 2), hasMore: true });
    expect(await own.audit.listAudit(2, 2)).toEqual({ entries: newestFirst.slice(4), hasMore: false });
    expect(await own.audit.listAudit(0, 5)).toEqual({ entries: newestFirst, hasMore: false });
    expect(await own.audit.listAudit(3, 2)).toEqual({ entries: [], hasMore: false });
  });

  test("leaves out entries that are already there", async () => {
    const entry = anEntry(1);
    await store().audit.appendAudit([entry]);
    await store().audit.appendAudit([entry, anEntry(2)]);
    const { entries } = await store().audit.listAudit(0, 100);
    expect(entries.filter(({ id }) => id === entry.id)).toEqual([entry]);
  });

  test("trims a category to its newest entries and leaves the other alone", async () => {
    const { store: own, dispose } = await open();
    onTestFinished(dispose);
    const account = [0, 1, 2, 3].map((order) => anEntry(order));
    const messages = [4, 5].map((order) => anEntry(order, { action: "message.delete" }));
    await own.audit.appendAudit([...account, ...messages]);
    await own.audit.trimAudit("account", 4);
    await own.audit.trimAudit("messages", 1);
    const listed = async (): Promise<readonly number[]> =>
      (await own.audit.listAudit(0, 100)).entries.map(({ at }) => at - epochMs);
    expect(await listed()).toEqual([5, 3, 2, 1, 0]);
    await own.audit.trimAudit("account", 1);
    expect(await listed()).toEqual([5, 3]);
  });
}
