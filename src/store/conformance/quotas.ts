import { expect, test } from "vitest";
import { storedBytes, type ServerQuota } from "../../core/server.ts";
import type { ServerId } from "../../core/ids.ts";
import type { Annotation } from "../mark-store.ts";
import type { NewMessage } from "../store.ts";
import { aServer, draft } from "./drafts.ts";
import { expectProblem, useStore, type OpenStore } from "./setup.ts";

const sizeOf = ({ raw, detailJson }: NewMessage): number => storedBytes({ raw, detail: detailJson });

/** Storage quotas of servers, and what is counted against them. */
export function describeQuotas(open: OpenStore): void {
  const store = useStore(open);
  const serverWith = async (quota: Partial<ServerQuota>): Promise<ServerId> =>
    (await store().createServer(aServer({ quota }))).id;
  const usageOf = async (id: ServerId): Promise<readonly unknown[]> => {
    const server = await store().getServer(id);
    return [server?.messages, server?.bytes];
  };

  test("keeps the quota that a server is created with and changes only the members that are given", async () => {
    const id = await serverWith({ messages: 3 });
    expect((await store().getServer(id))?.quota).toEqual({ messages: 3, bytes: null });
    await store().updateServer(id, { quota: { bytes: 2 ** 40 } });
    expect((await store().getServer(id))?.quota).toEqual({ messages: 3, bytes: 2 ** 40 });
    await store().updateServer(id, { name: "Renamed" });
    await store().updateServer(id, { quota: { messages: null } });
    expect((await store().getServer(id))?.quota).toEqual({ messages: null, bytes: 2 ** 40 });
  });

  test.each([
    ["a small message", 10],
    ["a message whose parts lie apart", 400_000],
    ["a message in chunks", 3_000_000],
  ])("counts raw bytes and details of %s until it is deleted", async (_what, length) => {
    const id = await serverWith({});
    // Pseudo-random bytes, which do not compress.
    const raw = new Uint8Array(length);
    for (let at = 0, state = 1; at < length; at += 1) raw[at] = (state = (state * 48_271) % 2_147_483_647) & 0xff;
    const [kept, gone] = [draft(id, { direction: "Sent" }), draft(id, { raw })];
    await store().addMessages([kept, gone]);
    expect(await usageOf(id)).toEqual([2, sizeOf(kept) + sizeOf(gone)]);
    await store().deleteMessage(gone.id);
    expect(await usageOf(id)).toEqual([1, sizeOf(kept)]);
    await store().emptyServer(id);
    expect(await usageOf(id)).toEqual([0, 0]);
  });

  test("counts annotations with their message, when they are added or replaced later, and until it is deleted", async () => {
    const id = await serverWith({});
    const annotation = (kind: Annotation["kind"], length: number) => ({
      kind,
      json: JSON.stringify("é".repeat(length)),
    });
    const [annotated, plain] = [{ ...draft(id), annotations: [annotation("transcript", 3000)] }, draft(id)];
    await store().addMessages([annotated, plain]);
    const sizes = sizeOf(annotated) + sizeOf(plain);
    expect(await usageOf(id)).toEqual([2, sizes + 6002]);
    await store().annotations.putAnnotation(plain.id, annotation("scan", 10_000));
    expect(await usageOf(id)).toEqual([2, sizes + 6002 + 20_002]);
    await store().annotations.putAnnotation(plain.id, annotation("scan", 10));
    await store().annotations.putAnnotation(draft(id).id, annotation("scan", 10));
    expect(await usageOf(id)).toEqual([2, sizes + 6002 + 22]);
    await store().reparses.replaceMessage(plain);
    expect(await usageOf(id)).toEqual([2, sizes + 6002 + 22]);
    await store().deleteMessage(annotated.id);
    expect(await usageOf(id)).toEqual([1, sizeOf(plain) + 22]);
    await store().expireMessages(id, { receivedBefore: null, keepNewest: 0 });
    expect(await usageOf(id)).toEqual([0, 0]);
    await store().addMessages([{ ...draft(id), annotations: [annotation("scan", 10)] }]);
    await store().emptyServer(id);
    expect(await usageOf(id)).toEqual([0, 0]);
  });

  test("rejects a message whose annotations exceed the quota of bytes, and stores later ones beyond it", async () => {
    const id = await serverWith({});
    const message = draft(id);
    const scan: Annotation = { kind: "scan", json: JSON.stringify("x".repeat(100)) };
    await store().updateServer(id, { quota: { bytes: sizeOf(message) + 101 } });
    await expectProblem(store().addMessages([{ ...message, annotations: [scan] }]), "quota_exceeded");
    await store().addMessages([message]);
    expect(await store().annotations.putAnnotation(message.id, scan)).toBe(true);
    expect(await usageOf(id)).toEqual([1, sizeOf(message) + 102]);
    await expectProblem(store().addMessages([draft(id)]), "quota_exceeded");
  });

  test("counts a replaced message by its new size and does not hold it against the quota", async () => {
    const id = await serverWith({ messages: 1 });
    const message = draft(id);
    await store().addMessages([message]);
    const longer = { ...message, detailJson: Buffer.from("x".repeat(5000)) };
    await store().reparses.replaceMessage(longer);
    expect(await usageOf(id)).toEqual([1, sizeOf(longer)]);
  });

  test("rejects a message beyond the quota of messages, sent ones included, and names server and quota", async () => {
    const id = await serverWith({ messages: 2 });
    await store().addMessages([draft(id)]);
    await store().addMessages([draft(id, { direction: "Sent" })]);
    const refused = store().addMessages([draft(id)]);
    await expectProblem(refused, "quota_exceeded");
    await expect(refused).rejects.toThrow(
      `Server ${id} is over its quota of 2 messages: it holds 2, and this needs 1 more`,
    );
    expect((await store().getServer(id))?.messages).toBe(2);
  });

  test("accepts a message that fills the quota of bytes exactly, and rejects the next", async () => {
    const id = await serverWith({});
    const [first, second] = [draft(id), draft(id)];
    await store().updateServer(id, { quota: { bytes: sizeOf(first) } });
    await store().addMessages([first]);
    await expectProblem(store().addMessages([second]), "quota_exceeded");
    await store().updateServer(id, { quota: { bytes: sizeOf(first) + sizeOf(second) } });
    await store().addMessages([second]);
    expect(await usageOf(id)).toEqual([2, sizeOf(first) + sizeOf(second)]);
  });

  test("stores nothing of a call when one of its servers is over quota", async () => {
    const [full, free] = [await serverWith({ messages: 1 }), await serverWith({})];
    await store().addMessages([draft(full)]);
    await expectProblem(store().addMessages([draft(free), draft(full)]), "quota_exceeded");
    expect(await usageOf(free)).toEqual([0, 0]);
  });

  test("reports a repeated message as stored when the server is full", async () => {
    const id = await serverWith({ messages: 1 });
    const message = draft(id);
    const first = await store().addMessages([message]);
    expect(await store().addMessages([message])).toEqual(first);
  });

  test.each(["deleteMessage", "emptyServer", "expireMessages"] as const)(
    "accepts messages again after %s",
    async (method) => {
      const id = await serverWith({ messages: 1 });
      const message = draft(id);
      await store().addMessages([message]);
      await expectProblem(store().addMessages([draft(id)]), "quota_exceeded");
      if (method === "deleteMessage") await store().deleteMessage(message.id);
      else if (method === "emptyServer") await store().emptyServer(id);
      else await store().expireMessages(id, { receivedBefore: null, keepNewest: 0 });
      expect(await usageOf(id)).toEqual([0, 0]);
      await store().addMessages([draft(id)]);
    },
  );

  test.each([{}, { reparseAt: 0 }])(
    "stores exactly 5 of 20 parallel messages with a quota of 5 (%j)",
    async (given) => {
      const id = await serverWith({ messages: 5 });
      const other = await serverWith({});
      const settled = await Promise.allSettled(
        Array.from({ length: 20 }, async () => {
          await store().addMessages([draft(other)]);
          return await store().addMessages([draft(id)], given);
        }),
      );
      expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
      for (const one of settled) {
        if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "quota_exceeded" });
      }
      expect((await store().getServer(id))?.messages).toBe(5);
      expect((await store().getServer(other))?.messages).toBe(20);
    },
  );

  test("applies the quota to imports, unless they ignore it", async () => {
    const id = await serverWith({ messages: 1 });
    await expectProblem(store().addMessages([draft(id), draft(id)], { limits: "storage" }), "quota_exceeded");
    await store().addMessages([draft(id), draft(id)], { limits: "none" });
    expect((await store().getServer(id))?.messages).toBe(2);
  });
}
