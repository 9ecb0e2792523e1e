import { criteriaExpression } from "../../../core/search/build-expression.ts";
import { expect, test } from "vitest";
import { newServerId } from "../../../core/ids.ts";
import { criterionNames, type Criteria } from "../../../core/criteria.ts";
import { page } from "../../conformance/drafts.ts";
import type { SummaryPage } from "../../store.ts";
import { ResultCache, listCacheKey, searchCacheKeys } from "./result-cache.ts";

const server = newServerId();

function pageOf(bytes: number): SummaryPage {
  return { json: new Uint8Array(bytes), count: 1, hasMore: false, total: 1, cursor: 1 };
}

test("returns a page until its server changes, regardless of changes in other servers", () => {
  const cache = new ResultCache();
  const cached = pageOf(10);
  cache.setPage(cache.ticket(server), "q", cached);
  cache.messagesDeleted(newServerId());
  expect(cache.getPage(server, "q")).toBe(cached);
  expect(cache.getPage(server, "other")).toBeUndefined();
  cache.messagesDeleted(server);
  expect(cache.getPage(server, "q")).toBeUndefined();
});

test("does not cache a page whose server changed while the query was executed", () => {
  const cache = new ResultCache();
  const ticket = cache.ticket(server);
  cache.messagesDeleted(server);
  cache.setPage(ticket, "q", pageOf(10));
  expect(cache.getPage(server, "q")).toBeUndefined();
  const later = cache.ticket(server);
  cache.forgetServer(server);
  cache.setPage(later, "q", pageOf(10));
  cache.setNoMatchUpTo(later, "q", 7);
  expect(cache.getPage(server, "q")).toBeUndefined();
  expect(cache.noMatchUpTo(server, "q")).toBe(0);
});

test("keeps the sequence number without matches through changes, not through deletion of the server", () => {
  const cache = new ResultCache();
  cache.setNoMatchUpTo(cache.ticket(server), "q", 7);
  cache.messagesDeleted(server);
  expect(cache.noMatchUpTo(server, "q")).toBe(7);
  cache.forgetServer(server);
  expect(cache.noMatchUpTo(server, "q")).toBe(0);
});

test("bounds bytes, queries per server and servers, and keeps the most recent ones", () => {
  const cache = new ResultCache();
  const servers = Array.from({ length: 100 }, () => newServerId());
  for (const one of servers) cache.setPage(cache.ticket(one), "q", pageOf(1024 * 1024));
  const retained = servers.filter((one) => cache.getPage(one, "q") !== undefined);
  expect(retained).toEqual(servers.slice(-retained.length));
  expect(retained.length).toBeGreaterThan(10);
  expect(retained.length).toBeLessThan(17);

  for (let n = 0; n < 1000; n += 1) cache.setPage(cache.ticket(server), `q${n}`, pageOf(1));
  const queries = Array.from({ length: 1000 }, (_, n) => cache.getPage(server, `q${n}`)).filter(Boolean);
  expect(queries.length).toBeLessThanOrEqual(64);
  expect(cache.getPage(server, "q999")).toBeDefined();

  for (let n = 0; n < 1000; n += 1) cache.setNoMatchUpTo(cache.ticket(server), `q${n}`, 1);
  expect(cache.noMatchUpTo(server, "q0")).toBe(0);
  expect(cache.noMatchUpTo(server, "q999")).toBe(1);
});

test("gives queries that differ in any member different keys", () => {
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
  expect(new Set(pages.map(listCacheKey)).size).toBe(pages.length);
  const criteria: readonly Criteria[] = [
    ...criterionNames.map((name) => ({ [name]: "a", match: "ALL" as const })),
    { subject: "a", body: "a", match: "ALL" },
    { subject: "a", body: "a", match: "ANY" },
    { subject: `a",0,"`, match: "ALL" },
    { subject: "", match: "ALL" },
  ];
  expect(new Set(criteria.map((one) => searchCacheKeys(criteriaExpression(one), page()).base)).size).toBe(
    criteria.length,
  );
  expect(
    new Set(pages.map((one) => searchCacheKeys(criteriaExpression({ subject: "a", match: "ALL" }), one).whole)).size,
  ).toBe(pages.length);
  const base = (one: ReturnType<typeof page>) =>
    searchCacheKeys(criteriaExpression({ subject: "a", match: "ALL" }), one).base;
  expect(base(page({ page: 3, itemsPerPage: 7, afterSequence: 2 }))).toBe(base(page()));
  expect(base(page({ receivedAfter: 1 }))).not.toBe(base(page()));
});
