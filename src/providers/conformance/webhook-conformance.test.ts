/** Webhooks that applications register by the APIs of providers: one suite for all of them. */
import { beforeEach, describe, expect, test } from "vitest";
import { mailEventTypes } from "../callbacks.ts";
import type { ProviderMethod } from "../provider.ts";
import { providers } from "../registry.ts";
import { callEndpoint } from "./call-endpoint.test-aid.ts";
import { jsonRequest } from "./samples.test-aid.ts";
import { memoryServices, type MemoryServices, validKey } from "./services.test-aid.ts";

type Json = Readonly<Record<string, unknown>>;

/** Request: method and path, and the body. */
type Line = readonly [line: `${ProviderMethod} ${string}`, value?: object];

/** API of webhooks; `valueOf` returns the webhooks in a response, without their envelope. */
interface Subject {
  readonly provider: string;
  readonly kind: "events" | "inbound";
  readonly add: (values: Json) => Line;
  readonly list: Line;
  readonly get: (id: unknown) => Line;
  readonly update: (id: unknown, values: Json) => Line;
  readonly remove: (id: unknown) => Line;
  readonly valueOf: (response: unknown) => unknown;
  /** Member that has the URL, and values of a valid webhook besides it. */
  readonly url: string;
  readonly values: Json;
  /** Another value of the members, and a value that is invalid. */
  readonly changes: Json;
  readonly invalid: readonly Json[];
  /** Whether a receiver has to accept a test; false by default. */
  readonly isTested?: boolean;
  /** Whether the events are about SMS; false by default. */
  readonly isAboutSms?: boolean;
}

const unwrap = (name: string) => (response: unknown) => (response as Json)[name];
const results = unwrap("results");
const rest = (path: string): Pick<Subject, "add" | "list" | "get" | "update" | "remove"> => ({
  add: (values) => [`POST ${path}`, values],
  list: [`GET ${path}`],
  get: (id) => [`GET ${path}/${String(id)}`],
  update: (id, values) => [`PUT ${path}/${String(id)}`, values],
  remove: (id) => [`DELETE ${path}/${String(id)}`],
});
const rpc = (path: string): ReturnType<typeof rest> => ({
  add: (values) => [`POST ${path}/add`, values],
  list: [`POST ${path}/list`, {}],
  get: (id) => [`POST ${path}/info`, { id }],
  update: (id, values) => [`POST ${path}/update`, { id, ...values }],
  remove: (id) => [`POST ${path}/delete`, { id }],
});

const subjects: readonly Subject[] = [
  {
    provider: "mailersend",
    kind: "events",
    ...rest("/v1/webhooks"),
    valueOf: unwrap("data"),
    url: "url",
    values: { name: "Delivery", domain_id: "d", events: ["activity.sent", "activity.survey_opened"] },
    changes: { enabled: false, events: ["activity.opened"], name: "Other" },
    isTested: true,
    invalid: [
      { name: "" },
      { name: "x".repeat(51) },
      { domain_id: 7 },
      { events: [] },
      { events: ["sent"] },
      { enabled: "no" },
    ],
  },
  {
    provider: "mailersend",
    kind: "events",
    ...rest("/v1/sms-webhooks"),
    valueOf: unwrap("data"),
    url: "url",
    values: { name: "Delivery", sms_number_id: "n", events: ["sms.sent", "sms.failed"] },
    changes: { enabled: false, events: ["sms.delivered"], name: "Other" },
    invalid: [{ sms_number_id: undefined }, { events: [] }, { events: ["activity.sent"] }],
    isTested: true,
    isAboutSms: true,
  },
  {
    provider: "sparkpost",
    kind: "events",
    ...rest("/api/v1/webhooks"),
    valueOf: results,
    url: "target",
    isTested: true,
    values: { name: "Delivery", events: ["injection", "out_of_band"] },
    changes: {
      active: false,
      events: ["open"],
      auth_type: "basic",
      auth_credentials: { username: "u", password: "p" },
    },
    invalid: [
      { events: undefined },
      { events: ["sent"] },
      { name: 7 },
      { auth_type: "oauth2" },
      { auth_type: "basic" },
      { custom_headers: { a: "1", b: "2" } },
    ],
  },
  {
    provider: "sparkpost",
    kind: "inbound",
    ...rest("/api/v1/relay-webhooks"),
    valueOf: results,
    url: "target",
    isTested: true,
    values: { name: "Replies", match: { protocol: "SMTP", domain: "app.example" } },
    changes: { match: { protocol: "SMTP", domain: "other.example" }, name: "Other", auth_token: "secret" },
    invalid: [{ match: undefined }, { match: {} }, { match: { protocol: "SMPP" } }, { name: undefined }],
  },
  {
    provider: "mandrill",
    kind: "events",
    ...rpc("/api/1.0/webhooks"),
    valueOf: (response) => response,
    url: "url",
    values: { description: "Delivery", events: ["send", "inbound"] },
    changes: { description: "Other", events: ["open"] },
    invalid: [{ events: ["sent"] }, { events: "send" }, { description: 7 }],
  },
];

const sampleSms = { id: "", providerId: "", from: "+15550100", to: "+447700900123", text: "Hi", metadata: {} };

let memory: MemoryServices;
beforeEach(() => {
  memory = memoryServices();
});

const hook = "https://app.example/hook";

describe.each(subjects.map((subject) => [`${subject.provider} ${subject.list[0]}`, subject] as const))(
  "%s",
  (_, subject) => {
    const provider = providers.find(({ name }) => name === subject.provider);
    if (provider === undefined) throw new Error("No such provider");
    const ask = async ([line, value]: Line): Promise<{ readonly status: number; readonly value: unknown }> => {
      const [method, path] = line.split(" ") as [ProviderMethod, string];
      const url = `http://localhost${path}`;
      // The key is in the header, or in the body.
      const request = jsonRequest({ ...value, key: validKey }, { method, path, url, key: validKey });
      const { status, body } = await callEndpoint(provider, request, memory.services);
      return { status, value: body === null ? null : JSON.parse(body.text ?? "null") };
    };
    const add = async (changes: Json = {}): Promise<unknown> =>
      ask(subject.add({ [subject.url]: hook, ...subject.values, ...changes }));
    const shown = async (line: Line): Promise<unknown> => subject.valueOf((await ask(line)).value);
    const created = async (): Promise<unknown> => {
      const { status, value } = (await add()) as Awaited<ReturnType<typeof ask>>;
      expect(status).toBeLessThan(300);
      return (subject.valueOf(value) as Json)["id"];
    };

    test("registers, shows, lists, changes and removes a webhook", async () => {
      const id = await created();
      const {
        domain_id: _domain,
        sms_number_id: _number,
        ...values
      } = { id, [subject.url]: hook, ...subject.values } as Json;
      expect(await shown(subject.get(id))).toMatchObject(values);
      expect(await shown(subject.list)).toMatchObject([values]);
      const moved = { ...subject.changes, [subject.url]: `${hook}2` };
      expect((await ask(subject.update(id, moved))).status).toBe(200);
      const { auth_credentials: _secret, ...visible } = moved as Json;
      expect(await shown(subject.get(id))).toMatchObject(visible);
      expect(memory.webhooks[subject.kind]).toMatchObject([{ url: `${hook}2` }]);
      expect((await ask(subject.remove(id))).status).toBeLessThan(300);
      expect(await shown(subject.list)).toEqual([]);
      expect(memory.webhooks[subject.kind]).toEqual([]);
    });

    test("keeps what a change does not name", async () => {
      const id = await created();
      const before = await shown(subject.get(id));
      expect((await ask(subject.update(id, {}))).status).toBe(200);
      expect(await shown(subject.get(id))).toEqual(before);
    });

    test("responds with its own error to a webhook that does not exist", async () => {
      const lines = [subject.get("7"), subject.update("7", subject.values), subject.remove("7")];
      const responses = await Promise.all(lines.map(ask));
      expect(new Set(responses.map(({ status }) => status)).size).toBe(1);
      expect(responses[0]?.status).toBeGreaterThanOrEqual(400);
    });

    test("rejects invalid values, and a URL that is not allowed, and stores nothing", async () => {
      const invalid = [...subject.invalid, { [subject.url]: undefined }, { [subject.url]: "https://denied.example/" }];
      const statuses = await Promise.all(
        invalid.map(async (changes) => ((await add(changes)) as { readonly status: number }).status),
      );
      expect(statuses.filter((status) => status < 400)).toEqual([]);
      expect(memory.webhooks[subject.kind]).toEqual([]);
    });

    test.runIf(subject.isTested)(
      "registers no webhook, and no other URL, at a receiver that rejects its test",
      async () => {
        const id = await created();
        const answer = { status: 404, headers: {}, body: Buffer.alloc(0) };
        for (const rejecting of [answer, { refusal: "Connection refused" }]) {
          memory.subscriptions.answer = () => rejecting;
          expect(await add()).toMatchObject({ status: expect.toSatisfy((status: number) => status >= 400) as number });
          const moved = await ask(subject.update(id, { ...subject.values, [subject.url]: `${hook}2` }));
          expect(moved.status).toBeGreaterThanOrEqual(400);
        }
        expect(memory.webhooks[subject.kind]).toMatchObject([{ url: hook }]);
        expect((await ask(subject.update(id, subject.changes))).status).toBe(200);
      },
    );

    test.runIf(subject.kind === "events")("accepts the names of all events that the provider reports", async () => {
      const { nameOf, types, sms } = (await provider.loadEvents?.()) ?? { types: [] };
      const details = [{}, { bounce: "soft" as const }];
      const ofMail = types.flatMap((type) => details.map((one) => nameOf?.({ type, details: one }) ?? ""));
      const ofSms = sms?.types.map((type) => sms.nameOf?.({ type, id: "", at: 0, sms: sampleSms }) ?? "") ?? [];
      const names = subject.isAboutSms === true ? ofSms : ofMail;
      expect(((await add({ events: names })) as { readonly status: number }).status).toBeLessThan(300);
      expect(types.every((type) => mailEventTypes.includes(type))).toBe(true);
    });
  },
);
