import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DuplicateGroup } from "../../../core/duplicates.ts";
import { Problem } from "../../../core/errors.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

/** Values of one sending of an order mail. */
interface Order {
  readonly item?: string;
  readonly number?: number;
  readonly to?: string;
  readonly code?: string;
  readonly token?: string;
  readonly at?: string;
}

let sentCount = 0;

function orderMail(order: Order): string {
  sentCount += 1;
  const { item = "Blue lamp", number = 1001, to = "ann@shop.example", code = "804219" } = order;
  const {
    token = `tok${String(sentCount)}f3a9c1d7e5b2`,
    at = `Sun, 22 Nov 2026 10:42:${String(sentCount % 60).padStart(2, "0")} +0000`,
  } = order;
  const link = `https://click.example/ls/click?upn=${token}`;
  return [
    `From: Shop <shop@shop.example>`,
    `To: <${to}>`,
    `Subject: Your order #${String(number)}`,
    `Date: ${at}`,
    `Message-ID: <${token}@shop.example>`,
    `MIME-Version: 1.0`,
    `Content-Type: multipart/alternative; boundary=b${token}`,
    ``,
    `--b${token}`,
    `Content-Type: text/plain`,
    ``,
    `Order #${String(number)}: 1 x ${item}, $12.50. Your code is ${code}. ${link}`,
    `--b${token}`,
    `Content-Type: text/html`,
    ``,
    `<p>Order #${String(number)}: 1 x ${item}, $12.50</p><p>Your code is <b>${code}</b></p><a href="${link}">Open</a><img src="https://click.example/o/${token}.gif">`,
    `--b${token}--`,
    ``,
  ].join("\r\n");
}

const deliver = async (server: TestServer, order: Order = {}): Promise<string> =>
  api.deliver(server, {
    raw: orderMail(order),
    to: order.to ?? "ann@shop.example",
  });

const find = async (server: TestServer, query = "", key = server.key): Promise<readonly DuplicateGroup[]> =>
  (
    await api.ask(`GET /api/messages/duplicates?server=${server.id}${query}`, {
      key,
    })
  ).json<DuplicateGroup[]>();

const idsOf = (groups: readonly DuplicateGroup[]): readonly (readonly string[])[] =>
  groups.map(({ messages }) => messages.map(({ id }) => id));

describe("GET /api/messages/duplicates", () => {
  test("returns a mail that was sent twice, and how its copies differ", async () => {
    const server = await api.addServer();
    const first = await deliver(server, {
      token: "tok1a2b3c4d5e6f7",
      code: "804219",
      at: "Sun, 22 Nov 2026 10:42:01 +0000",
    });
    await deliver(server, { item: "Red lamp", number: 1002 });
    api.clock.advance(5000);
    const second = await deliver(server, {
      token: "tok9z8y7x6w5v4u3",
      code: "117204",
      at: "Sun, 22 Nov 2026 10:42:07 +0000",
    });
    const groups = await find(server);
    expect(idsOf(groups)).toEqual([[second, first]]);
    const [{ messages = [], ...group } = {}] = groups as readonly Partial<DuplicateGroup>[];
    expect(group).toEqual({
      type: "Email",
      subject: "Your order #1001",
      recipients: ["ann@shop.example"],
      count: 2,
      differences: [
        {
          field: "messageId",
          values: ["<tok9z8y7x6w5v4u3@shop.example>", "<tok1a2b3c4d5e6f7@shop.example>"],
        },
        {
          field: "date",
          values: ["2026-11-22T10:42:07.000Z", "2026-11-22T10:42:01.000Z"],
        },
        { field: "code", values: ["117204", "804219"] },
        {
          field: "link",
          values: [
            "https://click.example/ls/click?upn=tok9z8y7x6w5v4u3",
            "https://click.example/ls/click?upn=tok1a2b3c4d5e6f7",
          ],
        },
      ],
    });
    const [newer, older] = messages;
    expect(older?.delayMs).toBeNull();
    expect(newer?.delayMs).toBe(Date.parse(newer?.received ?? "") - Date.parse(older?.received ?? ""));
    expect(newer?.delayMs).toBeGreaterThanOrEqual(5000);
    expect(newer?.messageId).toBe("<tok9z8y7x6w5v4u3@shop.example>");
  });

  test("reports the numbers of orders that differ only in them", async () => {
    const server = await api.addServer();
    await deliver(server, { number: 1001 });
    await deliver(server, { number: 1002 });
    const [group] = await find(server);
    expect(group?.differences).toContainEqual({
      field: "subject",
      values: ["Your order #1002", "Your order #1001"],
    });
    expect(group?.differences).toContainEqual({
      field: "text",
      values: ["1002", "1001"],
    });
  });

  test("distinguishes recipients and items, and bounds the delay", async () => {
    const server = await api.addServer();
    await deliver(server, { to: "ann@shop.example" });
    await deliver(server, { to: "bob@shop.example" });
    await deliver(server, { to: "ann@shop.example", item: "Red lamp" });
    expect(await find(server)).toEqual([]);
    api.clock.advance(60_000);
    await deliver(server, { to: "bob@shop.example" });
    await deliver(server, { to: "ann@shop.example" });
    expect((await find(server)).map(({ recipients }) => recipients)).toEqual([
      ["ann@shop.example"],
      ["bob@shop.example"],
    ]);
    expect(await find(server, "&within=59999")).toEqual([]);
    expect(await find(server, "&sentTo=BOB@shop.example&within=120000")).toHaveLength(1);
    expect(await find(server, "&subject=lamp")).toEqual([]);
  });

  test("continues with older messages", async () => {
    const server = await api.addServer();
    const ids = [await deliver(server), await deliver(server), await deliver(server), await deliver(server)];
    const reply = await api.ask(`GET /api/messages/duplicates?server=${server.id}&messages=2`);
    expect(idsOf(reply.json())).toEqual([[ids[3], ids[2]]]);
    expect([reply.headers["x-compared-count"], reply.headers["x-skipped-count"]]).toEqual(["2", "0"]);
    const next = /<([^>]+)>; rel="next"/.exec(String(reply.headers["link"]))?.[1] ?? "";
    const last = await api.ask(`GET ${next}`);
    expect(idsOf(last.json())).toEqual([[ids[1], ids[0]]]);
    expect(last.headers["link"]).toBeUndefined();
  });

  test("finds an SMS that was sent twice with another code", async () => {
    const server = await api.addServer();
    await api.ask("POST /api/phone-numbers", {
      body: { number: "+15550188", server: server.id },
    });
    const send = (text: string) =>
      api.ask("POST /api/sms", {
        body: { from: "+15550100", to: "+15550188", text },
      });
    await send("Your code is 804219");
    await send("Your code is 117204");
    await send("Your parcel is here");
    const [group, ...others] = await find(server);
    expect(others).toEqual([]);
    expect(group).toMatchObject({
      type: "SMS",
      subject: "",
      count: 2,
      recipients: ["+15550188"],
    });
    expect(group?.differences).toEqual([{ field: "code", values: ["117204", "804219"] }]);
  });

  test("lists at most 20 messages of a group and counts all", async () => {
    const server = await api.addServer();
    for (let count = 0; count < 22; count += 1) await deliver(server);
    const [group] = await find(server);
    expect([group?.count, group?.messages.length]).toEqual([22, 20]);
    expect(group?.messages.at(-1)?.delayMs).not.toBeNull();
    expect(group?.differences.every(({ values }) => values.length === 20)).toBe(true);
  });

  test("compares contents in the inspector's process, skips what it cannot analyse, and fails when that repeats", async () => {
    const kinds: string[] = [];
    let failing = 0;
    const { inspector } = api.context;
    const inspect = (async (load, inspection, caller) => {
      kinds.push(inspection.kind);
      if (inspection.kind === "fingerprint" && failing > 0) {
        failing -= 1;
        throw new Problem("unavailable");
      }
      return inspector.inspect(load, inspection, caller);
    }) as typeof inspector.inspect;
    await using own = await openHttpTestServer({
      context: { inspector: { inspect, close: async () => undefined } },
    });
    const server = await own.addServer();
    for (let count = 0; count < 5; count += 1) await own.deliver(server, { raw: orderMail({}) });
    failing = 3;
    const reply = await own.ask(`GET /api/messages/duplicates?server=${server.id}`);
    expect(kinds).toEqual(["summaries", ...Array<string>(5).fill("fingerprint")]);
    expect([reply.json<DuplicateGroup[]>()[0]?.count, reply.headers["x-skipped-count"]]).toEqual([2, "3"]);
    failing = 4;
    expect((await own.ask(`GET /api/messages/duplicates?server=${server.id}`)).statusCode).toBe(503);
  });

  test("stops after 20 seconds, and continues with older messages", async () => {
    const { inspector } = api.context;
    let advance = (): void => undefined;
    const inspect = (async (load, inspection, caller) => {
      if (inspection.kind === "fingerprint") advance();
      return inspector.inspect(load, inspection, caller);
    }) as typeof inspector.inspect;
    await using own = await openHttpTestServer({
      context: { inspector: { inspect, close: async () => undefined } },
    });
    const server = await own.addServer();
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) ids.unshift(await own.deliver(server, { raw: orderMail({}) }));
    advance = () => own.clock.advance(10_001);
    const reply = await own.ask(`GET /api/messages/duplicates?server=${server.id}`);
    expect(idsOf(reply.json())).toEqual([ids.slice(0, 2)]);
    expect(reply.headers["x-compared-count"]).toBe("2");
    expect(reply.headers["link"]).toContain(`&before=${ids[1] ?? ""}>`);
  });

  test("responds 400 to values out of range, 404 to other servers", async () => {
    const [server, other] = [await api.addServer(), await api.addServer()];
    const reply = await api.ask(
      `GET /api/messages/duplicates?messages=1001&within=x&subject=${"x".repeat(1001)}&dir=up`,
    );
    expect(reply.json<{ errors: { field: string }[] }>().errors.map(({ field }) => field)).toEqual([
      "server",
      "dir",
      "messages",
      "within",
      "subject",
    ]);
    const foreign = await api.ask(`GET /api/messages/duplicates?server=${server.id}`, { key: other.key });
    expect(foreign.statusCode).toBe(404);
  });
});
