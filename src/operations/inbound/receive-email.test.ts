import { criteriaExpression } from "../../core/search/build-expression.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Arrival } from "../../core/smtp-session.ts";
import type { ServerEvent } from "../../core/events.ts";
import type { FaultHit } from "../../core/fault.ts";
import type { ServerId } from "../../core/ids.ts";
import type { Message, Summary } from "../../core/message.ts";
import {
  contactCountMax,
  summaryContactCountMax,
  summaryContactsLengthMax,
  summarySubjectLengthMax,
} from "../../core/limits.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { deleteServer } from "../servers/servers.ts";
import { foldCriteria } from "../services/search/read-search.ts";
import { getMessage } from "../services/reading/get-message.ts";
import { receiveEmail } from "./receive-email.ts";

let api: HttpTestServer;
let one: TestServer;
let other: TestServer;
beforeEach(async () => {
  api = await openHttpTestServer();
  one = await api.addServer("one");
  other = await api.addServer("other");
});
afterEach(async () => api[Symbol.asyncDispose]());

const everybody = { keyId: "test", server: null };

function arrivalFor(recipients: readonly (readonly [string, ServerId])[], raw: string): Arrival {
  return {
    mailFrom: "bounce@app.example",
    recipients: recipients.map(([address, server]) => ({ address, server })),
    raw: Buffer.from(raw.replaceAll("\n", "\r\n")),
    session: { ehlo: "app", clientAddress: "127.0.0.1", protocol: "ESMTP", tls: null, authenticatedAs: null },
  };
}

const show = async (id: string): Promise<Message> => getMessage(api.context, everybody, id);
const addresses = (contacts: readonly { email: string | null }[]): readonly (string | null)[] =>
  contacts.map(({ email }) => email);

describe("a mail to two servers", () => {
  const raw = "From: App <app@app.example>\nTo: a@one.test, b@other.test\nCc: c@one.test\nSubject: Two\n\nHi\n";

  test("is stored once in each, and each sees only its own recipients of the envelope", async () => {
    const recipients = [
      ["a@one.test", one.id],
      ["b@other.test", other.id],
      ["hidden@one.test", one.id],
    ] as const;
    const ids = await receiveEmail(api.context, arrivalFor(recipients, raw));
    expect(ids.length).toBe(2);
    const seen = (await Promise.all(ids.map(show))).map(({ server, to, bcc, metadata }) => {
      return { server, to: addresses(to), bcc: addresses(bcc), rcptTo: addresses(metadata.rcptTo) };
    });
    const to = ["a@one.test", "b@other.test"];
    expect(seen).toEqual([
      { server: one.id, to, bcc: ["hidden@one.test"], rcptTo: ["a@one.test", "hidden@one.test"] },
      { server: other.id, to, bcc: [], rcptTo: ["b@other.test"] },
    ]);
  });

  test("lists in each the faults of its own rules and of the service's rules", async () => {
    const arrival = arrivalFor(
      [
        ["a@one.test", one.id],
        ["b@other.test", other.id],
      ],
      raw,
    );
    const shared = { rule: "slow", stage: "connect", action: "delay", server: null } as const;
    const faults: readonly FaultHit[] = [
      shared,
      { rule: "late", stage: "after-data", action: "deliver-later", server: one.id },
      { rule: "busy", stage: "rcpt", action: "reply", server: other.id },
    ];
    const ids = await receiveEmail(api.context, { ...arrival, faults });
    expect(await Promise.all(ids.map(async (id) => (await show(id)).metadata.faults))).toEqual([
      [
        { rule: "slow", stage: "connect", action: "delay" },
        { rule: "late", stage: "after-data", action: "deliver-later" },
      ],
      [
        { rule: "slow", stage: "connect", action: "delay" },
        { rule: "busy", stage: "rcpt", action: "reply" },
      ],
    ]);
    const [id = ""] = await receiveEmail(api.context, { ...arrival, faults: [] });
    expect((await show(id)).metadata).not.toHaveProperty("faults");
  });

  test("notifies waiters of both servers", async () => {
    const events: ServerEvent[] = [];
    for (const { id } of [one, other]) api.context.events.subscribe(id, (event) => events.push(event));
    const ids = await receiveEmail(
      api.context,
      arrivalFor(
        [
          ["a@one.test", one.id],
          ["b@other.test", other.id],
        ],
        raw,
      ),
    );
    expect(events.map(({ server, change }) => [server, change?.kind, change?.sequence, change?.id])).toEqual([
      [one.id, "received", 1, ids[0]],
      [other.id, "received", 1, ids[1]],
    ]);
  });

  test("is stored in the remaining server when the other was deleted", async () => {
    await deleteServer(api.context, everybody, one.id);
    const ids = await receiveEmail(
      api.context,
      arrivalFor(
        [
          ["a@one.test", one.id],
          ["b@other.test", other.id],
        ],
        raw,
      ),
    );
    expect(await Promise.all(ids.map(async (id) => (await show(id)).server))).toEqual([other.id]);
  });

  test("is rejected when both were deleted", async () => {
    for (const { id } of [one, other]) await deleteServer(api.context, everybody, id);
    const arrival = arrivalFor(
      [
        ["a@one.test", one.id],
        ["b@other.test", other.id],
      ],
      raw,
    );
    await expect(receiveEmail(api.context, arrival)).rejects.toMatchObject({ code: "recipient_unknown" });
  });
});

describe("the envelope", () => {
  test("contains a hidden recipient once, in the given letter case", async () => {
    const recipients = [
      ["X@one.test", one.id],
      ["x@ONE.test", one.id],
    ] as const;
    const [id = ""] = await receiveEmail(api.context, arrivalFor(recipients, "To: y@one.test\n\n"));
    const message = await show(id);
    expect(addresses(message.bcc)).toEqual(["X@one.test"]);
    expect(addresses(message.metadata.rcptTo)).toEqual(["X@one.test", "x@ONE.test"]);
  });

  test("stores a bounce with an empty envelope sender, which no search matches", async () => {
    const arrival = { ...arrivalFor([["a@one.test", one.id]], "Subject: Undelivered\n\n"), mailFrom: "" };
    const [id = ""] = await receiveEmail(api.context, arrival);
    expect((await show(id)).metadata.mailFrom).toBe("");
    const page = { page: 0, itemsPerPage: 1, receivedAfter: null, direction: "Received", afterSequence: null } as const;
    const found = await api.context.store.searchMessages(
      one.id,
      criteriaExpression({ sentFrom: "", match: "ALL" }),
      page,
    );
    expect(found.count).toBe(0);
  });
});

test("retries with new ids while ids are taken", async () => {
  const stuck = { ...api.context.ids };
  const taken = api.context.ids.next(one.id, "Received");
  let calls = 0;
  const ids: typeof stuck = {
    next: (server, direction) => {
      calls += 1;
      return calls <= 2 ? taken : api.context.ids.next(server, direction);
    },
  };
  const context = { ...api.context, ids };
  const arrival = arrivalFor([["a@one.test", one.id]], "Subject: same id\n\n");
  const [first] = await receiveEmail(context, arrival);
  const [second] = await receiveEmail(context, { ...arrival, raw: Buffer.from("Subject: other content\r\n\r\n") });
  expect(first).toBe(taken.id);
  expect(second).not.toBe(taken.id);
  expect((await show(second ?? "")).subject).toBe("other content");
});

test("stores a mail that cannot be parsed as raw bytes with the defect `unreadable`", async () => {
  const { unreadable } = await import("../services/reading/email-reader.ts");
  const context = { ...api.context, readEmail: () => unreadable };
  const [id = ""] = await receiveEmail(context, arrivalFor([["a@one.test", one.id]], "Subject: x\n\nbody\n"));
  expect(await show(id)).toMatchObject({ subject: "", defects: ["unreadable"], text: { body: null } });
  expect(Buffer.from((await api.context.store.getRaw((await show(id)).id)) ?? []).toString()).toContain("Subject: x");
});

test("a summary shows the first 1000 characters of a subject, the message has all, and a search finds its end", async () => {
  const subject = `${"x".repeat(summarySubjectLengthMax - 1)}😀${"y".repeat(100_000)} needle`;
  const raw = `Subject: =?utf-8?B?${Buffer.from(subject).toString("base64")}?=\n\nHi\n`;
  const [id = ""] = await receiveEmail(api.context, arrivalFor([["long@one.test", one.id]], raw));
  expect((await show(id)).subject).toBe(subject);
  const reply = await api.ask(`POST /api/messages/search?server=${one.id}`, { body: { subject: "yyy needle" } });
  const [found] = reply.json<Summary[]>();
  expect([found?.id, found?.subject]).toEqual([id, "x".repeat(summarySubjectLengthMax - 1)]);
});

describe("a mail to thirty thousand", () => {
  const named = Array.from({ length: 30_000 }, (_, index) => `p${index}@x.test`);
  const raw = `From: app@app.example\nTo: ${named.join()}\nSubject: All\n\nHi\n`;
  const page = { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null } as const;

  test(`has a summary of ${summaryContactCountMax} of them, and a full message of ${contactCountMax}`, async () => {
    const [id = ""] = await receiveEmail(api.context, arrivalFor([["p0@x.test", one.id]], raw));
    const { to } = await show(id);
    expect(to.length).toBe(contactCountMax);
    const { json } = await api.context.store.listMessages(one.id, page);
    const summary = JSON.parse(Buffer.from(json).toString()) as Summary;
    expect(summary.to).toEqual(to.slice(0, summaryContactCountMax));
    expect(json.byteLength).toBeLessThan(20_000);
  });

  test("is found by a recipient that its summary omits", async () => {
    await receiveEmail(api.context, arrivalFor([["p0@x.test", one.id]], raw));
    for (const [sentTo, count] of [
      ["P9999@x.test", 1],
      ["p101@x.test", 1],
      ["nobody@x.test", 0],
    ] as const) {
      const criteria = foldCriteria({ match: "ALL", sentTo }, api.context.limits.searchTextLengthMax);
      expect((await api.context.store.searchMessages(one.id, criteriaExpression(criteria), page)).count).toBe(count);
    }
  });

  test("omits contacts from its summary when their names are too long", async () => {
    const names = Array.from({ length: 50 }, (_, index) => `${"n".repeat(1000)} <p${index}@x.test>`);
    const long = `From: app@app.example\nTo: ${names.join()}\n\nHi\n`;
    await receiveEmail(api.context, arrivalFor([["p0@x.test", one.id]], long));
    const { json } = await api.context.store.listMessages(one.id, page);
    expect(json.byteLength).toBeLessThan(2 * summaryContactsLengthMax);
  });
});
