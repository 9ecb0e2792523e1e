import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeMessageId, type MessageId } from "../../core/ids.ts";
import { recordSms } from "../services/reading/sms-record.ts";
import { tagRecords } from "./tagging.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const tagsOf = async (id: MessageId): Promise<readonly string[]> =>
  (await api.ask(`GET /api/messages/${id}/marks`)).json<{ tags: string[] }>().tags;
const put = async (server: TestServer, body: unknown) =>
  await api.ask(`PUT /api/servers/${server.id}/tag-rules`, { body, key: server.key });

describe("tags of a mail that arrives", () => {
  test("are those of X-Tags, without wrong ones and repetitions", async () => {
    const server = await api.addServer();
    const raw = `Subject: s\r\nX-Tags: Red, sign  up,red,,${"x".repeat(101)}\r\nX-TAGS: Blue\r\n\r\nb\r\n`;
    expect(await tagsOf(await api.deliver(server, { raw }))).toEqual(["Blue", "Red", "sign up"]);
    const many = `X-Tags: ${Array.from({ length: 100 }, (_, n) => `t${n}`).join(",")}\r\n\r\n`;
    expect(await tagsOf(await api.deliver(server, { raw: many }))).toHaveLength(64);
  });

  test("are added by plus addresses and rules that the server has", async () => {
    const server = await api.addServer();
    const mail = { from: "App+Beta <app+beta@corp.example>", to: "ann+One+two@x.test", subject: "Invoice 17" };
    expect(await tagsOf(await api.deliver(server, mail))).toEqual([]);
    const settings = {
      plusAddresses: true,
      rules: [
        { q: "subject:invoice -from:nobody", tags: ["Billing", " To  do "] },
        { q: "type:sms", tags: ["sms"] },
        { q: "tag:vip", tags: ["important"] },
      ],
    };
    const stored = {
      ...settings,
      rules: settings.rules.with(0, { q: "subject:invoice -from:nobody", tags: ["Billing", "To do"] }),
    };
    expect((await put(server, settings)).json()).toEqual(stored);
    expect((await api.ask(`GET /api/servers/${server.id}/tag-rules`)).json()).toEqual(stored);
    expect(await tagsOf(await api.deliver(server, mail))).toEqual(["Billing", "One", "To do", "beta", "two"]);
    expect(await tagsOf(await api.deliver(server, { raw: "X-Tags: VIP\r\n\r\n" }))).toEqual(["VIP", "important"]);
    const other = await api.addServer();
    expect(await tagsOf(await api.deliver(other, mail))).toEqual([]);
    await put(server, {});
    expect(await tagsOf(await api.deliver(server, mail))).toEqual([]);
    expect((await api.ask("GET /api/audit?itemsPerPage=1")).json()).toMatchObject([
      { action: "tagging.set", server: server.id },
    ]);
  });

  test("are added by a rule for codes, to SMS too", async () => {
    const server = await api.addServer();
    await put(server, { rules: [{ q: "has:code", tags: ["otp"] }] });
    expect(await tagsOf(await api.deliver(server, { text: "Your code is 804 219\r\n" }))).toEqual(["otp"]);
    expect(await tagsOf(await api.deliver(server, { text: "Only 1999 EUR\r\n" }))).toEqual([]);
    const sms = recordSms(encodeMessageId({ server: server.id, direction: "Received", receivedAt: 1, random: 1 }), {
      from: "+15550100",
      to: "+15550101",
      text: "G-482913 is your code",
    });
    const [tagged] = await tagRecords(api.context, [sms]);
    expect(tagged?.marks?.tags).toEqual(["otp"]);
  });

  test("wake a search that waits for the tag", async () => {
    const server = await api.addServer();
    await put(server, { rules: [{ q: "subject:code", tags: ["otp"] }] });
    const waiting = api.ask(`POST /api/messages/search?server=${server.id}&timeout=60000`, { body: { tag: "otp" } });
    await expect.poll(() => api.context.waiters.count()).toBe(1);
    await api.deliver(server, { subject: "Your code" });
    expect((await waiting).json()).toMatchObject([{ subject: "Your code" }]);
  });

  test("are rejected where a rule is wrong, with every wrong member", async () => {
    const server = await api.addServer();
    const reply = await put(server, {
      rules: [
        { q: "after:2h", tags: ["a"] },
        { q: " ", tags: [] },
        { q: "larger:x", tags: ["a,b"] },
      ],
    });
    expect(reply.statusCode).toBe(400);
    expect(reply.json<{ errors: { field: string }[] }>().errors.map(({ field }) => field)).toEqual([
      "rules[0].q",
      "rules[1].q",
      "rules[1].tags",
      "rules[2].q",
      "rules[2].tags",
    ]);
    const rule = { q: "a", tags: ["a"] };
    expect((await put(server, { rules: Array.from({ length: 50 }, () => rule) })).statusCode).toBe(200);
    expect((await put(server, { rules: Array.from({ length: 51 }, () => rule) })).statusCode).toBe(400);
    const many = { q: Array.from({ length: 3 }, (_, n) => `12345${n}`).join(" "), tags: ["a"] };
    expect((await put(server, { rules: Array.from({ length: 50 }, () => many) })).statusCode).toBe(400);
  });
});
