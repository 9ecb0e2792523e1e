/** Waits against a scripted service; `test/journeys/client.test.ts` has those against a real one. */
import { describe, expect, test } from "vitest";
import { NoMatchError, UnexpectedMessageError, ConflictError, JourneyError } from "./errors.ts";
import type { Message, SearchExplanation } from "./generated/types.ts";
import { awaitJourney, expectNoDuplicates } from "./journeys.ts";
import { readClientOptions } from "./options.ts";
import { createTransport, type Transport } from "./transport.ts";
import { expectExactly, expectNone, waitForMany } from "./waits.ts";

const server = "abcd1234";
const criteria = { sentTo: "ada@example.com" };

interface Scripted {
  readonly transport: Transport;
  /** Query of each request. */
  readonly queries: Record<string, string>[];
}

/** Service that holds each request for its time-out, on a clock of its own, and then returns the next response. */
function scripted(responses: readonly Response[]): Scripted {
  let now = 0;
  const queries: Record<string, string>[] = [];
  const send = async (url: string | URL | Request): Promise<Response> => {
    const query = Object.fromEntries(new URL(url as string).searchParams);
    now += Number(query["timeout"] ?? 0);
    const response = responses[queries.push(query) - 1];
    if (response === undefined) throw new Error("unexpected request");
    return response;
  };
  const settings = readClientOptions({ url: "http://x", apiKey: "key", fetch: send });
  return { transport: createTransport(settings, { now: () => now, pause: async () => undefined }), queries };
}

function message(id: string): Message {
  const contact = { name: "", email: `${id}@example.com`, phone: null };
  const received = "2026-11-20T10:42:07.975Z";
  return { id, subject: `Mail ${id}`, from: [contact], to: [contact], received } as Message;
}

const explanation = { text: "0 messages arrived.", nearest: [] as unknown } as SearchExplanation;
const none = (): Response => Response.json({ items: [], explanation });
const found = (...ids: string[]): Response => Response.json({ items: ids.map(message), explanation: null });
const conflict = (body: object): Response =>
  Response.json({ type: "Conflict", status: 409, message: "Conflict", errors: [], ...body }, { status: 409 });

describe("waitForMany", () => {
  test("asks for full messages and explanations, and returns the oldest message first", async () => {
    const { transport, queries } = scripted([found("2", "1")]);
    const messages = await waitForMany(transport, { server, criteria, count: 2 }, { after: 7 });
    expect(messages.map(({ id }) => id)).toEqual(["1", "2"]);
    expect(queries).toEqual([
      { server, after: "7", timeout: "10000", count: "2", explain: "true", full: "true", itemsPerPage: "2" },
    ]);
  });

  test("continues on the next page when a page ends early", async () => {
    const first = found("3", "2");
    first.headers.set("link", `</proxied/api/messages/search?server=${server}&before=2&explain=true>; rel="next"`);
    const { transport, queries } = scripted([first, found("1")]);
    const messages = await waitForMany(transport, { server, criteria, count: 3 });
    expect(messages.map(({ id }) => id)).toEqual(["1", "2", "3"]);
    expect(queries[1]).toEqual({ server, before: "2", explain: "true" });
  });

  test("repeats requests when the time is longer than that of one", async () => {
    const { transport, queries } = scripted([none(), none(), none()]);
    const wait = waitForMany(transport, { server, criteria, count: 1 }, { timeout: 130_000 });
    await expect(wait).rejects.toThrow(
      'No message matched {"sentTo":"ada@example.com"} within 130000 ms.\n0 messages arrived.',
    );
    expect(queries.map(({ timeout }) => timeout)).toEqual(["60000", "60000", "10000"]);
  });

  test("shows the messages that matched when there are too few", async () => {
    const { transport } = scripted([Response.json({ items: [message("1")], explanation })]);
    const error: unknown = await waitForMany(transport, { server, criteria, count: 2 }).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(NoMatchError);
    expect(error).toMatchObject({
      messages: [{ id: "1" }],
      explanation,
      message: expect.stringMatching(
        /^Only 1 of 2 messages matched .* Matched:\n- .* to 1@example\.com, "Mail 1"\n0/,
      ) as string,
    });
  });

  test.each([0, 1.5])("rejects the count %d", async (count) => {
    await expect(waitForMany(scripted([]).transport, { server, criteria, count })).rejects.toThrow("count: must be");
  });
});

describe("expectNone", () => {
  test("resolves after the whole time, in several requests if need be", async () => {
    const { transport, queries } = scripted([Response.json([]), Response.json([])]);
    await expectNone(transport, { server, criteria }, { timeout: 90_000 });
    expect(queries.map(({ timeout, absent }) => [timeout, absent])).toEqual([
      ["60000", "true"],
      ["30000", "true"],
    ]);
  });

  test("throws what matched", async () => {
    const { transport } = scripted([conflict({ messages: [message("1")] })]);
    const error: unknown = await expectNone(transport, { server, criteria }).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(UnexpectedMessageError);
    expect((error as Error).message).toMatch(/^Expected no message with .*, and 1 message matched:\n- .*"Mail 1"$/);
  });
});

describe("expectExactly", () => {
  test("distinguishes too few messages from too many", async () => {
    const { transport, queries } = scripted([
      found("1"),
      conflict({ messages: [message("1"), message("2")], explanation: null }),
      conflict({ messages: [], explanation }),
      conflict({}),
    ]);
    const expectOne = async (): Promise<unknown> =>
      expectExactly(transport, { server, criteria, count: 1 }, { settle: 5 });
    expect(await expectOne()).toMatchObject([{ id: "1" }]);
    await expect(expectOne()).rejects.toThrow(
      /^Expected exactly 1 message with .*, and more matched:\n- .*"Mail 1"\n- .*"Mail 2"$/,
    );
    await expect(expectOne()).rejects.toThrow(NoMatchError);
    await expect(expectOne()).rejects.toThrow(ConflictError);
    expect(queries[0]).toMatchObject({ expect: "1", settle: "5", full: "true", explain: "true", itemsPerPage: "2" });
  });
});

test("a journey that is not complete throws the reason of each failed step", async () => {
  const failures = [
    { step: 0, name: "order", reason: "missing", expected: 1, messages: [], text: "1 message is missing", explanation },
    { step: 1, name: null, reason: "unexpected", expected: 0, messages: [], text: "1 came", explanation: null },
  ];
  const { transport } = scripted([conflict({ complete: false, cursor: 1, steps: [], failures })]);
  const steps = [{ name: "order", subject: "Your order" }, { quiet: 2000 }];
  const error: unknown = await awaitJourney(transport, { server, steps }).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(JourneyError);
  expect((error as Error).message).toBe(
    "The journey is not complete:\n- step 1 (order): 1 message is missing\n  0 messages arrived.\n- step 2: 1 came",
  );
});

test("duplicates are an error that names their differences", () => {
  const group = { count: 2, subject: "Your code", recipients: ["ada@example.com"], differences: [{ field: "code" }] };
  expect(() => {
    expectNoDuplicates([group as never]);
  }).toThrow('Messages were sent more than once:\n- 2 times "Your code" to ada@example.com, different in: code');
  expectNoDuplicates([]);
});
