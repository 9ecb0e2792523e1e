import { describe, expect, test, vi } from "vitest";
import { Problem, type ProblemCode } from "../../core/errors.ts";
import { faultErrors } from "../../core/fault.ts";
import { sampleEvent, sampleSigning } from "../conformance/callback-samples.test-aid.ts";
import { jsonRequest } from "../conformance/samples.test-aid.ts";
import { memoryServices, validKey } from "../conformance/services.test-aid.ts";
import type { EmailSession, EmailSubmission } from "../email.ts";
import { jsonResponse, type ProviderServices } from "../provider.ts";
import type { JsonObject } from "../formats/json-body.ts";
import {
  batchCounter,
  emailOf,
  newestEmails,
  ScheduledEmails,
  submitAll,
  submitBatch,
  wholeEmailOf,
} from "./emails.ts";
import { endpoints, handlersWith, openEndpoints, type Handler } from "./endpoints.ts";
import { errorResponses } from "./errors.ts";
import { basicAuth, headerSecret, madeSecret, oneByOne, readerOf, secretsOf, usualBrowser } from "./events.ts";
import { Members, type MemberRules } from "./members.ts";
import { aliasedCollectionOf, changeObject, collectionOf } from "./objects.ts";
import { onProblem, Rejection, settle } from "./rejection.ts";
import { renderBodies } from "./templates.ts";

const request = jsonRequest({}, { key: validKey, method: "POST", path: "/things" });
const refused = new Rejection(7, (code, { path }) => jsonResponse(409, { code, path }), "Refused");

describe("endpoints", () => {
  const getThing: Handler = async ({ session }) => jsonResponse(200, { hasObjects: "objects" in session });
  const postThing: Handler = async () => {
    throw refused;
  };

  test("authenticates with the need of the row, read for GET and else send", async () => {
    const { services } = memoryServices();
    const authenticate = vi.fn<ProviderServices["authenticate"]>(services.authenticate);
    const table = endpoints({ load: () => ({ getThing }) }, [
      ["GET /things", "getThing", "Return a thing."],
      ["POST /things/find", "getThing", "Find a thing.", { need: "read" }],
      ["PUT /things", "getThing", "Change a thing."],
    ]);
    for (const { handle } of table)
      expect(await handle(request, { ...services, authenticate })).toHaveProperty("status", 200);
    expect(authenticate.mock.calls.map(([, need]) => need)).toEqual(["read", "read", "send"]);
  });

  test("responds to a rejection with its response to the request, and rejects with any other error", async () => {
    const [rejecting] = endpoints({ load: () => ({ postThing }) }, [["POST /things", "postThing", "Create a thing."]]);
    const response = await rejecting?.handle(request, memoryServices().services);
    expect(response).toEqual(jsonResponse(409, { code: 7, path: "/things" }));
    const fail = async (): Promise<never> => {
      throw new Problem("conflict");
    };
    const [failing] = openEndpoints({ load: () => ({ fail }) }, [["POST /things", "fail", "Fail."]]);
    await expect(failing?.handle(request, memoryServices().services)).rejects.toThrow(new Problem("conflict").message);
  });

  test("serves each path with the base and the endings of its table", () => {
    const table = endpoints({ load: () => ({ getThing }), base: "/v1", endings: ["", ".json"] }, [
      ["GET /things", "getThing", "Return a thing."],
    ]);
    expect(table.map(({ path }) => path)).toEqual(["/v1/things", "/v1/things.json"]);
  });

  test("authenticates with the key that the table reads from the request, and responds to its rejection", async () => {
    const ask = async (keyOf: () => string) => {
      const [row] = endpoints({ load: () => ({ getThing }), keyOf }, [["POST /things", "getThing", "Return a thing."]]);
      return row?.handle({ ...request, key: null }, memoryServices().services);
    };
    expect(await ask(() => validKey)).toMatchObject({ status: 200 });
    await expect(ask(() => "wrong")).rejects.toMatchObject({ code: "unauthenticated" });
    const reject = (): never => {
      throw refused;
    };
    expect(await ask(reject)).toMatchObject({ status: 409 });
  });

  test("imports a module once, on the first request", async () => {
    const load = vi.fn(async () => ({ getThing }));
    const table = endpoints({ load }, [
      ["GET /things", "getThing", "Return a thing."],
      ["GET /things/:id", "getThing", "Return a thing."],
    ]);
    expect(load).not.toHaveBeenCalled();
    for (const { handle } of [...table, ...table]) await handle(request, memoryServices().services);
    expect(load).toHaveBeenCalledTimes(1);
  });

  test("overrides the settings of a table by those of a method, and these by those of a row", () => {
    const table = { load: () => ({ getThing }), body: "mail", byMethod: { GET: { body: "small" } } } as const;
    const rows = endpoints(table, [
      ["GET /a", "getThing", "A.", [200, "Found."]],
      ["POST /b", "getThing", "B.", { success: [201, "Created."], also: [202, "Accepted."] }],
      ["PUT /c", "getThing", "C.", { body: "small" }],
    ]);
    expect(rows.map(({ body }) => body)).toEqual(["small", "mail", "small"]);
    expect(rows.map(({ successes }) => successes.map(({ status }) => status))).toEqual([[200], [201, 202], []]);
  });

  test("describes a success without a description by its reason phrase", () => {
    const [own] = endpoints({ load: () => ({ getThing }) }, [["POST /a", "getThing", "A.", 201]]);
    const [shared] = endpoints({ load: () => ({ getThing }), success: 204 }, [["DELETE /a", "getThing", "A."]]);
    expect(own?.successes).toEqual([{ status: 201, description: "Created." }]);
    expect(shared?.successes).toEqual([{ status: 204, description: "No Content." }]);
  });
});

test("handlersWith adds what it reads of a request to the call, and responds with the result as JSON", async () => {
  const handler = handlersWith(async ({ request: { path } }) => ({ length: path.length }));
  const shown = handler(({ length, session }) => ({ length, hasObjects: "objects" in session }));
  const [row] = endpoints({ load: () => ({ shown }) }, [["POST /things", "shown", "Show a thing."]]);
  expect(await row?.handle(request, memoryServices().services)).toEqual(
    jsonResponse(200, { length: "/things".length, hasObjects: true }),
  );
});

test("errorResponses reuses the row of a fault for its status where the provider does", () => {
  const faults = Object.fromEntries(faultErrors.map((name, at) => [name, [400 + at, name]])) as never;
  const rules = {
    shape: ([status, name]: readonly [number, string]) => jsonResponse(status, name),
    ofProblem: ({ code, row }: Problem) => [row.status, code] as const,
    ofStatus: (status: number, reason: string) => [status, reason] as const,
    faults,
  };
  const context = { method: "POST", path: "/", headers: {}, now: 0 } as const;
  const shared = errorResponses({ ...rules, statusOf: ([status]) => status });
  expect(shared.faultResponse({ status: 402 }, context)).toEqual(jsonResponse(402, "internal"));
  expect(errorResponses(rules).faultResponse({ status: 402 }, context)).toEqual(jsonResponse(402, "Payment Required"));
  expect(shared.faultResponse({ status: 599 }, context)).toEqual(jsonResponse(599, "Internal Server Error"));
  const without = errorResponses({ ...rules, faults: {} });
  expect(faultErrors.map((fault) => without.faultResponse(fault, context).status)).toEqual([
    429, 503, 500, 401, 400, 413, 504,
  ]);
});

test("errorResponses finds the error for a problem in its table, else that of a rate limit or of the status", () => {
  const { errorResponse } = errorResponses<readonly [status: number, text: string]>({
    shape: ([status, text]) => jsonResponse(status, text),
    problems: { not_found: [404, "nothing"] },
    ofProblem: ({ code }) => (code === "forbidden" ? [403, "own"] : undefined),
    failure: "failed",
    faults: { rateLimited: [429, "slow down"] },
    ofStatus: (status, text) => [status, text],
  });
  const textOf = (code: ProblemCode): unknown => errorResponse(new Problem(code), request).body?.text;
  const codes = ["not_found", "forbidden", "too_many_requests", "unauthenticated", "internal"] as const;
  expect(codes.map(textOf)).toEqual(
    ["nothing", "own", "slow down", new Problem("unauthenticated").message, "failed"].map((one) => JSON.stringify(one)),
  );
});

test("secretsOf makes the secrets that the user does not give, and shows the first one", async () => {
  const { settings, createSecrets } = secretsOf(
    madeSecret("key", "Key", () => "made"),
    basicAuth,
    headerSecret,
  );
  expect(settings.map(({ name, isSecret }) => [name, isSecret])).toEqual([
    ["key", true],
    ["basicAuth", true],
    ["header", true],
  ]);
  expect(await createSecrets({})).toEqual({ secrets: { key: "made" }, publicKey: null, secret: "made" });
  const given = { key: "own", basicAuth: "user:password" };
  expect(await createSecrets(given)).toEqual({ secrets: given, publicKey: null, secret: "own" });
});

describe("Members", () => {
  const members = (object: JsonObject, rules: Partial<MemberRules> = {}): Members =>
    new Members(object, { wrongType: (name, type) => new Error(`${name} is no ${type}`), ...rules });
  const values = { text: "a", empty: "", flag: false, list: [{ text: "b" }], object: { a: 1 }, none: null };

  test("returns members of the expected type, and null or nothing for absent ones", () => {
    const all = members(values);
    expect([all.text("text"), all.text("empty"), all.flag("flag"), all.object("object")]).toEqual([
      "a",
      "",
      false,
      { a: 1 },
    ]);
    expect(all.objects("list").map((one) => one.text("text"))).toEqual(["b"]);
    expect([all.text("none"), all.flag("other"), all.object("none"), all.list("none")]).toEqual([null, null, null, []]);
    expect([all.has("none"), all.has("other"), all.value("none")]).toEqual([true, false, null]);
  });

  test("throws the error of the provider for another type", () => {
    const all = members({ ...values, mixed: [1] });
    expect(() => all.text("flag")).toThrow("flag is no string");
    expect(() => all.flag("text")).toThrow("text is no boolean");
    expect(() => all.list("object")).toThrow("object is no array");
    expect(() => all.object("list")).toThrow("list is no object");
    expect(() => all.objects("mixed")).toThrow("mixed is no array");
  });

  test("ignores letter case and empty strings as the rules say", () => {
    const all = members({ Text: "a", Empty: "" }, { ignoresCase: true, isEmptyAbsent: true });
    expect([all.text("TEXT"), all.list("empty"), all.has("eMPTY")]).toEqual(["a", [], true]);
    expect(members({ Text: "a" }).text("text")).toBeNull();
  });
});

test("oneByOne renders the only event of a request, and nothing without one", () => {
  const { batchCountMax, render } = oneByOne(({ type }) => ({ headers: {}, contentType: type, body: Buffer.alloc(0) }));
  expect(batchCountMax).toBe(1);
  expect(render([sampleEvent("opened")], sampleSigning({})).contentType).toBe("opened");
  expect(() => render([], sampleSigning({}))).toThrow(RangeError);
});

test("readerOf has a usual client for what an event does not say", () => {
  const given = { ip: "192.0.2.9", userAgent: "Browser", url: "https://example.com/a" };
  expect(readerOf(given, usualBrowser)).toEqual(given);
  expect(readerOf({}, usualBrowser).userAgent).toBe(usualBrowser);
  expect(readerOf({})).toEqual({ ip: "192.0.2.1", userAgent: "Mozilla/5.0", url: "https://example.com/" });
});

test("onProblem translates the problem with a code, and no other error", async () => {
  const failing = async (error: Error): Promise<string> => {
    throw error;
  };
  expect(await onProblem("conflict", failing(new Problem("conflict")), ({ code }) => code)).toBe("conflict");
  await expect(onProblem("conflict", failing(new Problem("conflict")), () => refused)).rejects.toBe(refused);
  await expect(onProblem("conflict", failing(new Problem("not_found")), () => "")).rejects.toThrow("Not found");
  expect(await settle(failing(refused))).toBe(refused);
  await expect(settle(failing(new Problem("not_found")))).rejects.toThrow("Not found");
});

describe("Collection", () => {
  test("counts parallel changes of an object, and changes none that is absent", async () => {
    const { services } = memoryServices();
    const counters = collectionOf<number>("counter")({ session: await services.authenticate(validKey, "send") });
    expect(await counters.create("a", 0)).toBe(true);
    expect(await counters.create("a", 5)).toBe(false);
    await Promise.all(Array.from({ length: 10 }, async () => counters.change("a", (count) => count + 1)));
    expect(await counters.find("a")).toBe(10);
    expect(await counters.change("b", (count) => count)).toBeUndefined();
    expect(await counters.all()).toEqual([10]);
  });

  test("rejects with too_many_requests when another request is always faster", async () => {
    const { services } = memoryServices();
    const { objects } = await services.authenticate(validKey, "send");
    const losing = { ...objects, put: async () => false };
    const change = changeObject(losing, { kind: "a", id: "b" }, () => ({ result: 1, change: { value: 1 } }));
    await expect(change).rejects.toMatchObject({ code: "too_many_requests", retryAfterSeconds: 1 });
  });
});

describe("AliasedCollection", () => {
  interface Named {
    readonly alias: string | null;
    readonly text: string;
  }
  const open = async () => {
    const { objects } = await memoryServices().services.authenticate(validKey, "send");
    const put: typeof objects.put = async (kind, id, change) => {
      if (JSON.stringify(change.value).includes("too large")) throw new Problem("invalid_request");
      return objects.put(kind, id, change);
    };
    return aliasedCollectionOf<Named>("thing", ({ alias }) => alias)({ session: { objects: { ...objects, put } } });
  };
  const one: Named = { alias: "first", text: "1" };

  test("finds by id and by alias, also a long one, until it changes or is removed", async () => {
    const things = await open();
    const long = { ...one, alias: "a".repeat(255) };
    expect(await things.store("7", one)).toBe(true);
    expect([await things.findAny("7"), await things.findAny("first")]).toEqual([one, one]);
    expect(await things.store("7", long, one)).toBe(true);
    expect([await things.findAny("first"), await things.findAny(long.alias)]).toEqual([undefined, long]);
    await things.discard("7", long);
    expect([await things.findAny("7"), await things.findAny(long.alias)]).toEqual([undefined, undefined]);
  });

  test("stores nothing when another object has the alias", async () => {
    const things = await open();
    await things.store("7", one);
    expect(await things.store("8", one)).toBe(false);
    expect(await things.createNumbered(10, 99, () => one)).toBeUndefined();
    expect(await things.all()).toEqual([one]);
  });

  test("leaves the alias free when the object is too large", async () => {
    const things = await open();
    const large = { ...one, text: "too large" };
    await expect(things.store("7", large)).rejects.toThrow(Problem);
    await expect(things.createNumbered(10, 99, () => large)).rejects.toThrow(Problem);
    expect(await things.createNumbered(10, 11, () => one)).toEqual(one);
    expect(await things.findAny("first")).toEqual(one);
  });

  test("rejects with too_many_requests when all numbers are taken", async () => {
    const things = await open();
    await things.store("10", { ...one, alias: null });
    await expect(things.createNumbered(10, 11, () => one)).rejects.toMatchObject({ code: "too_many_requests" });
  });
});

test("submitBatch stores the mails among the items at once and keeps the order of the outcomes", async () => {
  const [from, to] = [
    { name: "", address: "a@app.example" },
    { name: "", address: "z@shop.example" },
  ];
  const draft = { from, to: [to], cc: [], bcc: [to], replyTo: [], subject: "", text: "", html: null, headers: [] };
  const email = emailOf({ ...draft, attachments: [] }, { identify: (uuid) => ({ providerId: uuid, messageId: null }) });
  expect(email).toMatchObject({ mailFrom: from.address, recipients: [to.address, to.address], sendAt: null });
  const submitEmails = vi.fn<EmailSession["submitEmails"]>(async () => [
    { providerId: "1", uuid: "u" },
    { refusal: "no_server" },
  ]);
  const rejected = new Rejection(8, () => jsonResponse(400, {}));
  expect(await submitBatch({ submitEmails }, [rejected, email, email], refused)).toEqual([
    rejected,
    { email, providerId: "1", uuid: "u" },
    refused,
  ]);
  expect(submitEmails.mock.calls).toEqual([[[email, email]]]);
  expect(await submitBatch({ submitEmails }, [rejected], refused)).toEqual([rejected]);
  expect(submitEmails).toHaveBeenCalledTimes(1);
});

test("submitAll returns the mails that a server received, and rejects when there is none", async () => {
  const mailbox = { name: "", address: "z@shop.example" };
  const email = wholeEmailOf(Buffer.from("Subject: Hi\r\n"), {
    mailFrom: "a@app.example",
    recipients: [mailbox],
    identify: (uuid) => ({ providerId: uuid, messageId: "<replaced@app.example>" }),
  });
  expect(email).toMatchObject({ mailFrom: "a@app.example", recipients: [mailbox.address], sendAt: null });
  expect(email.identify("u")).toEqual({ providerId: "u", messageId: null });
  const answers: EmailSubmission[] = [{ refusal: "no_server" }, { providerId: "1", uuid: "u" }];
  const submitEmails = vi.fn<EmailSession["submitEmails"]>(async (emails) => answers.slice(0, emails.length));
  expect(await submitAll({ submitEmails }, [email, email], refused)).toEqual([{ email, providerId: "1", uuid: "u" }]);
  await expect(submitAll({ submitEmails }, [email], refused)).rejects.toBe(refused);
  expect(await submitAll({ submitEmails }, [], refused)).toEqual([]);
});

test("batchCounter throws beyond 50 MB", () => {
  const take = batchCounter(() => refused);
  take(49_999_999);
  take(1);
  expect(() => {
    take(1);
  }).toThrow(refused);
});

describe("ScheduledEmails", () => {
  const sendAt = Date.UTC(2026, 11, 1);
  const item = { uuid: "0199aabb-ccdd-7eee-8fff-001122334455", sendAt, shown: "Hello" };
  const open = async (changes: Partial<EmailSession> = {}) => {
    const memory = memoryServices();
    const changed: (readonly unknown[])[] = [];
    const session = {
      ...(await memory.services.authenticate(validKey, "send")),
      cancelEmail: async (...given: readonly unknown[]) => void changed.push(["cancel", ...given]),
      rescheduleEmail: async (...given: readonly unknown[]) => void changed.push(["reschedule", ...given]),
      ...changes,
    };
    return { memory, changed, session, scheduled: new ScheduledEmails<string>(session) };
  };

  test("lists a mail until it arrives, is cancelled, or its new instant passes", async () => {
    const { memory, changed, scheduled } = await open();
    await scheduled.add(item);
    await scheduled.reschedule(item.uuid, sendAt + 1000);
    memory.now = sendAt;
    expect(await scheduled.all()).toEqual([{ ...item, sendAt: sendAt + 1000 }]);
    memory.now = sendAt + 1000;
    expect(await scheduled.find(item.uuid)).toBeUndefined();
    await scheduled.add({ ...item, sendAt: sendAt + 9000 });
    await scheduled.cancel(item.uuid);
    expect(await scheduled.all()).toEqual([]);
    expect(changed).toEqual([
      ["reschedule", item.uuid, sendAt + 1000],
      ["cancel", item.uuid],
    ]);
  });

  test("cancels a mail that cannot be listed", async () => {
    const full = await open();
    const put = async (): Promise<never> => {
      throw new Problem("limit_reached");
    };
    const { changed, scheduled } = await open({ objects: { ...full.session.objects, put } });
    await expect(scheduled.add(item)).rejects.toMatchObject({ code: "limit_reached" });
    expect(changed).toEqual([["cancel", item.uuid]]);
  });

  test("keeps a mail whose change is rejected", async () => {
    const reject = async (): Promise<never> => {
      throw new Problem("conflict");
    };
    const { scheduled } = await open({ cancelEmail: reject, rescheduleEmail: reject });
    await scheduled.add(item);
    await expect(scheduled.cancel(item.uuid)).rejects.toMatchObject({ code: "conflict" });
    await expect(scheduled.reschedule(item.uuid, sendAt + 1)).rejects.toMatchObject({ code: "conflict" });
    expect(await scheduled.all()).toEqual([item]);
  });
});

test("newestEmails reads pages until one is the last, or the limit is reached", async () => {
  const pages: number[] = [];
  const listEmails = async ({ page }: { readonly page: number }) => {
    pages.push(page);
    return { emails: [], hasMore: true };
  };
  for await (const _ of newestEmails({ listEmails }, {}, { countMax: 75, pageSize: 25 })) expect.unreachable();
  expect(pages).toEqual([0, 1, 2]);
});

test("renderBodies leaves absent bodies absent, and rejects with the error of the caller", async () => {
  const { services } = memoryServices();
  const job = { language: "mustache", sources: { subject: "S", text: null, html: "<p>" }, data: {} } as const;
  expect(await renderBodies(services, job)).toEqual({ subject: "S|{}", text: null, html: "<p>|{}" });
  const renderTemplates = async (): Promise<never> => {
    throw new Problem("invalid_request", { text: "bad tag" });
  };
  await expect(renderBodies({ renderTemplates }, job, (detail) => new Error(`! ${detail}`))).rejects.toThrow(
    "! bad tag",
  );
});
