import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FaultOccurrence, FaultRule } from "../../../core/fault.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";
import type { WireError } from "../../wire/error-schema.ts";
import type { ShownFault } from "../../../operations/faults/fault-rules.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const rule: FaultRule = {
  name: "defer",
  match: { stage: ["rcpt", "data"], sender: "*@app.example", recipient: "anna@app.example" },
  when: { first: 3 },
  then: { reply: { code: 451, enhanced: "4.3.0", text: "Later" }, delayMs: 5 },
  until: { time: "2036-11-20T10:42:07.975Z", afterMs: 60_000, hits: 2 },
};
const counts = { state: "active", seen: 0, hits: 0, skipped: 0, lastHits: [] };

async function put(items: unknown, key?: string | null): Promise<Reply> {
  return api.ask(`PUT /api/servers/${server.id}/faults`, { body: { items }, ...(key !== undefined && { key }) });
}

function errorsOf(reply: Reply): readonly string[] {
  expect(reply.statusCode).toBe(400);
  return reply.json<WireError>().errors.map(({ field, detail }) => `${field} ${detail[0]?.code ?? ""}`);
}

function aRecipient(fields: Partial<FaultOccurrence> = {}): FaultOccurrence {
  return {
    stage: "rcpt",
    clientAddress: "192.0.2.1",
    server: null,
    sender: "shop@app.example",
    recipients: [{ address: "anna@app.example", server: server.id }],
    provider: null,
    userName: null,
    ...fields,
  };
}

describe("fault rules of a server", () => {
  test("are replaced, counted, listed and removed", async () => {
    const stored = await put([rule]);
    expect([stored.statusCode, stored.json()]).toEqual([200, [{ ...rule, ...counts }]]);
    await api.context.faults.decide(aRecipient());
    const items = (await api.ask(`GET /api/servers/${server.id}/faults`)).json<readonly ShownFault[]>();
    const hit = { stage: "rcpt", clientAddress: "192.0.2.1", recipient: "anna@app.example", action: "reply" };
    expect(items).toMatchObject([{ ...rule, state: "active", seen: 1, hits: 1, lastHits: [hit] }]);
    await api.context.faults.decide(aRecipient());
    expect(await api.context.faults.decide(aRecipient())).toBeNull();
    const again = (await api.ask(`GET /api/servers/${server.id}/faults`)).json<readonly ShownFault[]>();
    expect(again).toMatchObject([{ state: "ended", seen: 2, hits: 2 }]);
    expect((await api.ask(`DELETE /api/servers/${server.id}/faults`)).statusCode).toBe(204);
    expect((await api.ask(`GET /api/servers/${server.id}/faults`)).json()).toEqual([]);
    expect(api.context.faults.decide(aRecipient())).toBeNull();
  });

  test("are paused, shown as such until they end, and resumed", async () => {
    const { until } = rule;
    const keep = { body: { items: [{ ...rule, paused: true }] } };
    await put([rule]);
    await api.context.faults.decide(aRecipient());
    const path = `/api/servers/${server.id}/faults?counts=keep`;
    const paused = (await api.ask(`PUT ${path}`, keep)).json<readonly ShownFault[]>();
    expect(paused).toMatchObject([{ ...rule, paused: true, state: "paused", seen: 1, hits: 1 }]);
    expect(await api.context.faults.decide(aRecipient())).toBeNull();
    const resumed = (await api.ask(`PUT ${path}`, { body: { items: [rule] } })).json<readonly ShownFault[]>();
    expect(resumed).toMatchObject([{ state: "active", seen: 1, hits: 1, until }]);
    await api.context.faults.decide(aRecipient());
    const ended = (await api.ask(`PUT ${path}`, keep)).json<readonly ShownFault[]>();
    expect(ended).toMatchObject([{ state: "ended", hits: 2 }]);
  });

  test("are changed by the server's own key, and recorded in the audit log", async () => {
    expect((await put([rule], server.key)).statusCode).toBe(200);
    await api.ask(`DELETE /api/servers/${server.id}/faults`, { key: server.key });
    const entries = (await api.ask("GET /api/audit?itemsPerPage=2")).json<unknown>();
    expect(entries).toMatchObject([
      { action: "faults.clear", server: server.id, details: {} },
      { action: "faults.replace", server: server.id, details: { count: 1 } },
    ]);
  });

  test("keep the counts of rules that stay the same with counts=keep, and start at 0 otherwise", async () => {
    const [a, b] = [
      { ...rule, name: "a" },
      { name: "b", match: { stage: "rcpt" }, then: { delayMs: 1 } },
    ];
    await put([a, b]);
    await api.context.faults.decide(aRecipient());
    const replace = async (query: string, items: unknown): Promise<readonly (readonly [string, number])[]> => {
      const reply = await api.ask(`PUT /api/servers/${server.id}/faults?${query}`, { body: { items } });
      return reply.json<readonly ShownFault[]>().map(({ name, seen }) => [name, seen] as const);
    };
    expect(await replace("counts=keep", [{ ...b, then: { delayMs: 2 } }, a])).toEqual([
      ["b", 0],
      ["a", 1],
    ]);
    expect(await replace("counts=reset", [a])).toEqual([["a", 0]]);
    const wrong = await api.ask(`PUT /api/servers/${server.id}/faults?counts=yes`, { body: { items: [] } });
    expect(errorsOf(wrong)).toEqual(["counts unknown"]);
  });

  test("accept a list without an envelope, and the further names of members", async () => {
    const given = [
      {
        name: "n",
        match: { stage: "rcpt", client: "192.0.2.1", recipient: "Anna*@*.example", sender: "shop*" },
        when: { aboveAMinute: 3 },
        then: { greylistMs: 500 },
        until: { at: "2036-01-01T00:00:00Z" },
      },
      { name: "r", match: { stage: "rcpt" }, then: { reply: { code: 451, enhancedStatus: "4.3.0" } } },
      { name: "t", match: { stage: "data" }, then: { bytesPerSecond: 100 } },
    ];
    const reply = await api.ask(`PUT /api/servers/${server.id}/faults`, { body: given });
    expect(
      reply.json<readonly ShownFault[]>().map(({ match, when, then, until }) => [match, when, then, until]),
    ).toEqual([
      [
        { stage: "rcpt", clientAddress: "192.0.2.1", recipient: "anna*@*.example", sender: "shop*" },
        { above: { count: 3, perMs: 60_000 } },
        { greylist: { delayMs: 500 } },
        { time: "2036-01-01T00:00:00.000Z" },
      ],
      [{ stage: "rcpt" }, undefined, { reply: { code: 451, enhanced: "4.3.0" } }, undefined],
      [{ stage: "data" }, undefined, { throttle: 100 }, undefined],
    ]);
    const twice = [
      { name: "n", match: { stage: "data", client: "192.0.2.1", clientAddress: "::1" }, then: { greylistMs: "5" } },
      { name: "m", match: { stage: "quit" }, then: { reply: { code: 451 }, greylistMs: 5 } },
    ];
    expect(errorsOf(await api.ask(`PUT /api/servers/${server.id}/faults`, { body: twice }))).toEqual([
      "[0].match.client invalid",
      "[0].then.greylistMs invalid_type",
      "[0].then.greylist invalid",
      "[1].match.stage unknown",
      "[1].then invalid",
    ]);
  });

  test("require an account key for a client address before RCPT, and no network there", async () => {
    const early = (clientAddress: string): unknown => [
      { name: "a", match: { stage: ["rcpt", "connect"], clientAddress }, then: { drop: true } },
    ];
    const reply = await put(early("192.0.2.1"), server.key);
    expect([reply.statusCode, reply.json<WireError>().message]).toEqual([
      403,
      "A rule for a client address at the stage connect may affect other servers: an account key is required",
    ]);
    expect((await put(early("192.0.2.1"))).statusCode).toBe(200);
    expect(errorsOf(await put(early("192.0.2.0/24")))).toEqual(["items[0].match.clientAddress invalid"]);
    const late = [{ name: "a", match: { stage: "rcpt", clientAddress: "192.0.2.0/24" }, then: { drop: true } }];
    expect((await put(late, server.key)).statusCode).toBe(200);
  });

  test("are stored in one form: patterns in lower case, phone numbers in E.164, instants in UTC", async () => {
    const given = {
      name: "n",
      match: { stage: ["rcpt", "rcpt"], sender: "A@App.example", recipient: "+1 555 0100" },
      then: { error: null, delayMs: 1 },
      until: { time: "2036-01-01T12:00:00+02:00" },
    };
    const [stored] = (await put([given])).json<readonly ShownFault[]>();
    expect(stored).toEqual({
      name: "n",
      match: { stage: ["rcpt"], sender: "a@app.example", recipient: "+15550100" },
      then: { delayMs: 1 },
      until: { time: "2036-01-01T10:00:00.000Z" },
      ...counts,
    });
  });

  const base = { name: "n", match: { stage: "rcpt" }, then: { drop: true } };
  test.each<readonly [string, unknown, readonly string[]]>([
    ["no list", undefined, ["items required"]],
    ["another type", {}, ["items invalid_type"]],
    ["101 rules", Array.from({ length: 101 }, (_, at) => ({ ...base, name: `${at}` })), ["items too_many"]],
    ["the same name twice", [base, base], ["items[1].name invalid"]],
    ["a missing member", [{}], ["items[0].name required", "items[0].match required", "items[0].then required"]],
    [
      "unknown members",
      [{ ...base, hits: 3, then: { drop: true, dealyMs: 5 } }],
      ["items[0].hits unknown", "items[0].then.dealyMs unknown"],
    ],
    ["an unknown stage", [{ ...base, match: { stage: "quit" } }], ["items[0].match.stage unknown"]],
    ["no stage", [{ ...base, match: { stage: [] } }], ["items[0].match.stage required"]],
    [
      "wrong patterns",
      [{ ...base, match: { stage: "rcpt", sender: "a", recipient: "+1", clientAddress: "x" } }],
      ["items[0].match.sender invalid", "items[0].match.recipient invalid", "items[0].match.clientAddress invalid"],
    ],
    [
      "what is not known yet",
      [{ ...base, match: { stage: ["rcpt", "mail"], recipient: "a@b.example" } }],
      ["items[0].match.recipient invalid"],
    ],
    [
      "an unknown provider",
      [{ ...base, match: { stage: "request", provider: "acme" } }],
      ["items[0].match.provider unknown"],
    ],
    ["two triggers", [{ ...base, when: { first: 1, every: 2 } }], ["items[0].when invalid"]],
    ["no trigger", [{ ...base, when: { seed: 2 } }], ["items[0].when invalid"]],
    ["a seed without probability", [{ ...base, when: { first: 1, seed: 2 } }], ["items[0].when.seed invalid"]],
    [
      "numbers out of bounds",
      [{ ...base, when: { above: { count: -1, perMs: 0 } }, until: { hits: 1.5 } }],
      [
        "items[0].when.above.count out_of_range",
        "items[0].when.above.perMs out_of_range",
        "items[0].until.hits out_of_range",
      ],
    ],
    ["a probability above 1", [{ ...base, when: { probability: 1.1 } }], ["items[0].when.probability out_of_range"]],
    ["no effect", [{ ...base, then: {} }], ["items[0].then required"]],
    ["two main effects", [{ ...base, then: { drop: true, reply: { code: 451 } } }], ["items[0].then invalid"]],
    [
      "late delivery of what is not stored",
      [{ ...base, then: { drop: true, deliverAfterMs: 5 } }],
      ["items[0].then invalid"],
    ],
    ["an effect at the wrong stage", [{ ...base, then: { loseReply: true } }], ["items[0].then.loseReply invalid"]],
    [
      "a wrong reply",
      [{ ...base, then: { reply: { code: 250, enhanced: "4.7", text: "a\r\nb" } } }],
      [
        "items[0].then.reply.code out_of_range",
        "items[0].then.reply.enhanced invalid_status",
        "items[0].then.reply.text invalid",
      ],
    ],
    [
      "an enhanced code of another class",
      [{ ...base, then: { reply: { code: 550, enhanced: "4.7.1" } } }],
      ["items[0].then.reply.enhanced invalid_status"],
    ],
    ["false", [{ ...base, then: { drop: false } }], ["items[0].then.drop invalid_type"]],
    ["a wrong instant", [{ ...base, until: { time: "tomorrow" } }], ["items[0].until.time invalid_date"]],
    ["no end", [{ ...base, until: {} }], ["items[0].until required"]],
  ])("responds 400 that names every wrong member for %s", async (_, items, expected) => {
    expect(errorsOf(await put(items))).toEqual(expected);
  });

  const anywhere = ["drop", "delayMs"];
  test.each<readonly [string, readonly string[]]>([
    ["connect", ["reply", "tls", ...anywhere]],
    ["ehlo", ["reply", ...anywhere]],
    ["starttls", ["reply", "tls", ...anywhere]],
    ["auth", ["reply", ...anywhere]],
    ["mail", ["reply", ...anywhere]],
    ["rcpt", ["reply", "greylist", "deliverAfterMs", ...anywhere]],
    ["data", ["reply", "throttle", "deliverAfterMs", ...anywhere]],
    ["after-data", ["reply", "loseReply", "deliverAfterMs", ...anywhere]],
    ["request", ["error", "loseReply", "throttle", "deliverAfterMs", ...anywhere]],
  ])("accept at the stage %s exactly the effects %s", async (stage, expected) => {
    const effects = {
      reply: { code: 421 },
      error: { status: 503 },
      drop: true,
      loseReply: true,
      tls: "expired",
      greylist: { delayMs: 5 },
      delayMs: 5,
      throttle: 5,
      deliverAfterMs: 5,
    };
    const accepted: string[] = [];
    for (const [name, value] of Object.entries(effects)) {
      const reply = await put([{ name: "n", match: { stage }, then: { [name]: value } }]);
      if (reply.statusCode === 200) accepted.push(name);
    }
    expect(accepted.toSorted()).toEqual(expected.toSorted());
  });
});

test("fault rules of the service require an account key, and apply to every server", async () => {
  const body = {
    items: [{ name: "all", match: { stage: "mail", clientAddress: "192.0.2.0/24" }, then: { delayMs: 9 } }],
  };
  for (const method of ["GET", "PUT", "DELETE"]) {
    const reply = await api.ask(`${method} /api/faults`, { key: server.key, ...(method === "PUT" && { body }) });
    expect(reply.statusCode).toBe(403);
  }
  expect((await api.ask("PUT /api/faults", { body })).statusCode).toBe(200);
  const decision = await api.context.faults.decide(aRecipient({ stage: "mail", recipients: [] }));
  expect(decision).toMatchObject({ then: { delayMs: 9 }, hits: [{ server: null, rule: "all" }] });
  expect((await api.ask("GET /api/faults")).json()).toMatchObject([{ name: "all", hits: 1 }]);
  expect((await api.ask("DELETE /api/faults")).statusCode).toBe(204);
  expect(api.context.faults.decide(aRecipient({ stage: "mail", recipients: [] }))).toBeNull();
});
