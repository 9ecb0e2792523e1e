import { expect, test } from "vitest";
import { newServerId } from "../../../core/ids.ts";
import { page } from "../../conformance/drafts.ts";
import type { SummaryPage } from "../../store.ts";
import { AnswerCache, listQuestion, searchQuestion } from "./answer-cache.ts";

const server = newServerId();

function answerOf(bytes: number): SummaryPage {
  return { json: new Uint8Array(bytes), count: 1, hasMore: false, total: 1, cursor: 1 };
}

test("an answer holds until its server changes, and other servers do not matter", () => {
  const memory = new AnswerCache();
  const answer = answerOf(10);
  memory.remember(memory.ticket(server), "q", answer);
  memory.forgetAnswers(newServerId());
  expect(memory.recall(server, "q")).toBe(answer);
  expect(memory.recall(server, "other")).toBeUndefined();
  memory.forgetAnswers(server);
  expect(memory.recall(server, "q")).toBeUndefined();
});

test("an answer that was on its way while its server changed is not remembered", () => {
  const memory = new AnswerCache();
  const ticket = memory.ticket(server);
  memory.forgetAnswers(server);
  memory.remember(ticket, "q", answerOf(10));
  expect(memory.recall(server, "q")).toBeUndefined();
  const later = memory.ticket(server);
  memory.forgetServer(server);
  memory.remember(later, "q", answerOf(10));
  memory.rememberNoMatch(later, "q", 7);
  expect(memory.recall(server, "q")).toBeUndefined();
  expect(memory.noMatchUpTo(server, "q")).toBe(0);
});

test("that nothing matched up to a number outlives changes, and not the server", () => {
  const memory = new AnswerCache();
  memory.rememberNoMatch(memory.ticket(server), "q", 7);
  memory.forgetAnswers(server);
  expect(memory.noMatchUpTo(server, "q")).toBe(7);
  memory.forgetServer(server);
  expect(memory.noMatchUpTo(server, "q")).toBe(0);
});

test("what is remembered is bounded in bytes, in questions of a server, and in servers; the latest stays", () => {
  const memory = new AnswerCache();
  const servers = Array.from({ length: 100 }, () => newServerId());
  for (const one of servers) memory.remember(memory.ticket(one), "q", answerOf(1024 * 1024));
  const kept = servers.filter((one) => memory.recall(one, "q") !== undefined);
  expect(kept).toEqual(servers.slice(-kept.length));
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.length).toBeLessThan(17);

  for (let n = 0; n < 1000; n += 1) memory.remember(memory.ticket(server), `q${n}`, answerOf(1));
  const questions = Array.from({ length: 1000 }, (_, n) => memory.recall(server, `q${n}`)).filter(Boolean);
  expect(questions.length).toBeLessThanOrEqual(64);
  expect(memory.recall(server, "q999")).toBeDefined();

  for (let n = 0; n < 1000; n += 1) memory.rememberNoMatch(memory.ticket(server), `q${n}`, 1);
  expect(memory.noMatchUpTo(server, "q0")).toBe(0);
  expect(memory.noMatchUpTo(server, "q999")).toBe(1);
});

test("questions that differ in any member have different names", () => {
  const pages = [
    page(),
    page({ page: 1 }),
    page({ itemsPerPage: 5 }),
    page({ direction: "Sent" }),
    page({ receivedAfter: 0 }),
    page({ receivedAfter: 0.5 }),
    page({ afterSequence: 0 }),
    page({ afterSequence: 1 }),
  ];
  expect(new Set(pages.map(listQuestion)).size).toBe(pages.length);
  const wanted = [
    { subject: "a" },
    { body: "a" },
    { sentTo: "a" },
    { sentFrom: "a" },
    { subject: "a", body: "a" },
    { subject: `a",0,"` },
    { subject: "" },
  ].flatMap((one) => [
    { ...one, match: "ALL" as const },
    { ...one, match: "ANY" as const },
  ]);
  expect(new Set(wanted.map((one) => searchQuestion(one, page()).base)).size).toBe(wanted.length);
  expect(new Set(pages.map((one) => searchQuestion({ subject: "a", match: "ALL" }, one).whole)).size).toBe(
    pages.length,
  );
  const base = (one: ReturnType<typeof page>) => searchQuestion({ subject: "a", match: "ALL" }, one).base;
  expect(base(page({ page: 3, itemsPerPage: 7, afterSequence: 2 }))).toBe(base(page()));
  expect(base(page({ receivedAfter: 1 }))).not.toBe(base(page()));
});
