import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { markHidingReaderCountMax } from "../../core/limits.ts";
import { openHttpTestServer, type HttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import { deleteMails } from "./delete-mails.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

test("a message that as many readers have hidden as may is refused to the next, and the others of the command are hidden", async () => {
  const { id: server } = await api.addServer();
  await api.ask(`PUT /api/servers/${server}`, { body: { readerDeletion: "hide" } });
  const add = async (): Promise<MessageId> =>
    (await api.ask(`POST /api/messages?server=${server}`, { body: {} })).json<{ id: MessageId }>().id;
  const [full, other] = [await add(), await add()];
  const { marks } = api.context.store;
  for (let reader = 0; reader < markHidingReaderCountMax; reader += 1)
    await marks.changeMarks(decodeMessageId(full).server, [full], { hideFrom: `key ${reader}` });
  const principal = { keyId: "one more", server };
  const access = { server, principal, mayWrite: true, isOpen: async () => true, clientAddress: "127.0.0.1" };
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  await deleteMails(api.context, access, { protocol: "POP3", ids: [full, other], onFailure });
  const text = expect.stringMatching(/^100 readers have hidden the message/) as string;
  expect(failures).toEqual([expect.objectContaining({ code: "limit_reached", message: text })]);
  expect((await marks.listHidden(server, "one more", 0)).map(({ id }) => id)).toEqual([other]);
});
