import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { defaultLimits } from "../../core/limits.ts";
import { decodePage, decodeWait, nextPageUrl, requireServer } from "./page-query.ts";
import { parseQuery } from "./query.ts";

/** Any UTF-16 code unit, lone surrogates and controls included. */
const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));

const rules = { limits: defaultLimits, ignoresUnknownDirection: false };
const fieldOf = (action: () => unknown): string | undefined => {
  try {
    action();
  } catch (error) {
    return error instanceof Problem ? error.fields[0]?.field : "not a problem";
  }
  return undefined;
};

describe("decodePage", () => {
  test("returns defaults for an empty query", () => {
    const page = { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null };
    expect(decodePage(parseQuery(""), rules)).toEqual(page);
    expect(decodePage(parseQuery("page=&itemsPerPage=&receivedAfter=&dir=&after="), rules)).toEqual(page);
  });

  test("responds 404 for a UUID that is no message, and 400 for other text", () => {
    const before = (text: string) => (): unknown => decodePage(parseQuery(`before=${text}`), rules);
    expect(before("e3e70682-c209-1cac-a29f-6fbed82c07cd")).toThrow("Message not found");
    expect(fieldOf(before("latest"))).toBe("before");
    expect(before("")()).not.toHaveProperty("before");
  });

  test("reads all parameters, whatever the case of their names", () => {
    const query = parseQuery("PAGE=2&itemsperpage=1000&ReceivedAfter=5&Dir=sent&after=9");
    const page = { page: 2, itemsPerPage: 1000, receivedAfter: 5, direction: "Sent", afterSequence: 9 };
    expect(decodePage(query, rules)).toEqual(page);
  });

  test.each([
    ["itemsPerPage=1", undefined],
    ["itemsPerPage=1000", undefined],
    ["itemsPerPage=0", "itemsPerPage"],
    ["itemsPerPage=1001", "itemsPerPage"],
    ["itemsPerPage=1.5", "itemsPerPage"],
    ["itemsPerPage=many", "itemsPerPage"],
    ["itemsPerPage=-1", "itemsPerPage"],
    ["page=0", undefined],
    ["page=-1", "page"],
    ["page=1e3", "page"],
    ["page=first", "page"],
    ["receivedAfter=yesterday", "receivedAfter"],
    ["receivedAfter=2026-02-30", "receivedAfter"],
    ["dir=ASC", "dir"],
    ["after=-1", "after"],
    ["after=99999999999999999999", "after"],
  ])("rejects %s on %s", (text, field) => {
    expect(fieldOf(() => decodePage(parseQuery(text), rules))).toBe(field);
  });

  test("takes an unknown direction as Received when it is to be ignored", () => {
    const page = decodePage(parseQuery("dir=ASC"), { ...rules, ignoresUnknownDirection: true });
    expect(page.direction).toBe("Received");
  });

  test("accepts a page beyond the range of integers", () => {
    expect(decodePage(parseQuery(`page=${"9".repeat(400)}`), rules).page).toBe(2 ** 31);
  });

  test("returns a page within bounds or a 400 that names a parameter", () => {
    const names = ["page", "itemsPerPage", "receivedAfter", "dir", "cursor", "other"];
    const parameters = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.string(), fc.integer().map(String)));
    fc.assert(
      fc.property(parameters, (given) => {
        const query = parseQuery(new URLSearchParams(given).toString());
        const field = fieldOf(() => {
          const page = decodePage(query, rules);
          expect(page.itemsPerPage).toSatisfy((count: number) => count >= 1 && count <= 1000);
          expect(page.page).toBeGreaterThanOrEqual(0);
        });
        expect([undefined, ...names.slice(0, -1)]).toContain(field);
      }),
    );
  });
});

describe("decodeWait", () => {
  const limits = { waitMsMax: 60_000, itemsPerPageMax: 1000 };

  test.each([
    ["", { timeoutMs: null, countMin: 1, absent: false, explain: false, exactly: null }],
    ["timeout=0&count=3&absent=TRUE", { timeoutMs: 0, countMin: 3, absent: true, explain: false, exactly: null }],
    ["explain=true", { timeoutMs: null, countMin: 1, absent: false, explain: true, exactly: null }],
    [
      "expect=2",
      { timeoutMs: null, countMin: 1, absent: false, explain: false, exactly: { count: 2, settleMs: 1000 } },
    ],
  ])("decodes %j", (text, wait) => {
    expect(decodeWait(parseQuery(text), limits)).toEqual(wait);
  });

  test.each([
    ["timeout=soon", "timeout"],
    ["timeout=60001", "timeout"],
    ["count=0", "count"],
    ["count=1001", "count"],
    ["absent=maybe", "absent"],
    ["explain=why", "explain"],
    ["expect=0", "expect"],
    ["expect=1&settle=60001", "settle"],
  ])("rejects %j", (text, field) => {
    expect(fieldOf(() => decodeWait(parseQuery(text), limits))).toBe(field);
  });
});

describe("requireServer", () => {
  test.each(["", "server=", "key=1"])("rejects %j on server", (text) => {
    expect(fieldOf(() => requireServer(parseQuery(text)))).toBe("server");
  });
});

describe("nextPageUrl", () => {
  test("repeats known parameters and no key", () => {
    const query = parseQuery("server=abcd1234&receivedAfter=2026-01-01T00:00:00%2B01:00&key=SECRET&page=3&dir=Sent");
    const page = decodePage(query, rules);
    expect(nextPageUrl("/api/messages", query, page)).toBe(
      "/api/messages?page=4&server=abcd1234&receivedAfter=2026-01-01T00%3A00%3A00%2B01%3A00&dir=Sent",
    );
  });

  test("returns the same query for the next page", () => {
    const values = fc.string({ unit, minLength: 1 }).map((value) => value.toWellFormed());
    fc.assert(
      fc.property(values, fc.nat(1000), (server, number) => {
        const query = parseQuery(new URLSearchParams({ server, page: String(number) }).toString());
        const url = nextPageUrl("/x", query, decodePage(query, rules));
        const next = parseQuery(url.slice("/x?".length));
        expect([next.get("server"), next.get("page")]).toEqual([server, String(number + 1)]);
        expect(url).not.toMatch(/[<>\s]/);
      }),
    );
  });
});
