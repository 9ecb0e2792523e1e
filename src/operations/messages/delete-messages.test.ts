import { expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { createIdSource, newServerId } from "../../core/ids.ts";
import type { Server } from "../../core/server.ts";
import type { Context } from "../context.ts";
import { deleteMessages } from "./delete-messages.ts";

test("names the messages that cannot be deleted, and rejects with the reason when none can", async () => {
  const server = newServerId();
  const source = createIdSource(() => 0);
  const ids = [0, 1].map(() => source.next(server, "Received").id);
  const failing = new Set<string>(ids.slice(1));
  const published: unknown[] = [];
  const store: Partial<Context["store"]> = {
    getServer: async () => ({ id: server }) as Server,
    deleteMessage: async (id) => {
      if (failing.has(id)) throw new Problem("storage_full");
      return 7;
    },
  };
  const events: Partial<Context["events"]> = { publish: (event) => published.push(event) };
  const context = { store: store as Context["store"], events: events as Context["events"] } as Context;
  const request = { server, ids, signal: AbortSignal.any([]) };
  const account = { keyId: "test", server: null };
  expect(await deleteMessages(context, account, request)).toEqual({ deleted: 1, failed: ids.slice(1) });
  expect(published).toEqual([{ server, change: { sequence: 7, kind: "deleted", id: ids[0] }, message: null }]);
  failing.add(ids[0] ?? "");
  await expect(deleteMessages(context, account, request)).rejects.toMatchObject({ code: "storage_full" });
});
