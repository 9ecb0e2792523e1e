import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LocalisationReport } from "../../../core/localisation.ts";
import { openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { HttpTestServer, TestServer } from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const deliver = async (subject: string, text: string, lang: string): Promise<string> => {
  const html = `<html${lang}><body><p>${text}</p></body></html>`;
  const raw = `From: a@shop.example\r\nTo: b@c.example\r\nSubject: ${subject}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`;
  return api.deliver(server, { raw });
};
const compare = async (body: object) => api.ask("POST /api/analysis/localisation", { key: server.key, body });

describe("POST /api/analysis/localisation", () => {
  test("returns the subjects and faults by locale, which the mails state or the request names", async () => {
    const original = await deliver("Your order is on its way", "It takes 5 days.", " lang=en");
    const german = await deliver("Your order is on its way", "Es dauert 5 Tag.", "");
    const messages = [{ id: german, locale: "de" }, { id: original }];
    const response = await compare({ messages, default: "en" });
    const report = response.json<LocalisationReport>();
    expect(response.statusCode).toBe(200);
    expect({ ...report, overflowProblem: typeof report.overflowProblem }).toEqual({
      isMet: false,
      default: "en",
      locales: [
        {
          locale: "de",
          id: german,
          subject: "Your order is on its way",
          direction: "ltr",
          findings: [
            {
              rule: "missing-translation",
              message: "The subject is that of en: it is not translated into de",
              subject: "Your order is on its way",
            },
            { rule: "plural", message: "5 Tag has the form of another number", subject: "5 Tag" },
          ],
        },
        { locale: "en", id: original, subject: "Your order is on its way", direction: "ltr", findings: [] },
      ],
      overflowProblem: "string",
    });
    const kept = await compare({ messages, default: "en", keep: ["Your order is on its way"] });
    expect(kept.json<LocalisationReport>().locales[0]?.findings.map(({ rule }) => rule)).toEqual(["plural"]);
  });

  test("names every wrong member, and mails without a locale", async () => {
    const id = await deliver("A", "B", "");
    const fieldsOf = async (body: object) =>
      (await compare(body)).json<{ errors: { field: string }[] }>().errors.map(({ field }) => field);
    expect(await fieldsOf({ messages: [], default: "x y", more: 1 })).toEqual(["more", "messages", "default"]);
    expect(await fieldsOf({ messages: [{ id }, { id, locale: "de" }, { id }] })).toEqual([
      "messages[0].locale",
      "messages[2].locale",
    ]);
    expect(await fieldsOf({ messages: [{ id, locale: "de" }], default: "fr" })).toEqual(["default"]);
    const many = Array.from({ length: 31 }, () => ({ id, locale: "de" }));
    expect(await fieldsOf({ messages: many })).toEqual(["messages"]);
    expect((await compare({ messages: many.slice(0, 30) })).statusCode).toBe(200);
  });

  test("compares no mail of another server, and no SMS", async () => {
    const other = await api.addServer();
    const id = await deliver("A", "B", " lang=de");
    const body = { messages: [{ id }] };
    expect((await api.ask("POST /api/analysis/localisation", { key: other.key, body })).statusCode).toBe(404);
    expect((await compare({ messages: [{ id: "6f1c2a9e-0000-4000-8000-000000000001" }] })).statusCode).toBe(404);
  });
});
