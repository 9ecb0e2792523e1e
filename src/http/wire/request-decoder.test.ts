import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Problem, type FieldProblem } from "../../core/errors.ts";
import { decodeBody } from "./request-decoder.ts";
import { webhookRequestSchema } from "../../operations/callbacks/target-schema.ts";
import { marksRequestSchema } from "./mark-schema.ts";
import { build, schemaOf, type WireSchema } from "../../core/schema.ts";
import { criteriaSchema } from "../../core/criteria.ts";
import { serverChangeSchema, serverRequestSchema } from "./server-schema.ts";
import { smsRequestSchema } from "./sms-schema.ts";
import { taggingRequestSchema } from "./mark-schema.ts";

const rejectionOf = (schema: WireSchema<unknown>, body: unknown): FieldProblem | undefined => {
  try {
    decodeBody(schema, body);
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_request") return error.fields[0];
    throw error;
  }
  return undefined;
};

describe("dialects of the official libraries", () => {
  test.each([
    [
      ".NET",
      { SentFrom: null, SentTo: "a@b.c", Subject: null, Body: null, Match: 0 },
      { sentTo: "a@b.c", match: "ALL" },
    ],
    [".NET, any", { SentTo: "a@b.c", Match: 1 }, { sentTo: "a@b.c", match: "ANY" }],
    [
      "python",
      { sentFrom: null, sentTo: null, subject: "x", body: null, match: "ALL" },
      { subject: "x", match: "ALL" },
    ],
    ["go, dart", { sentFrom: "", sentTo: "a@b.c", subject: "", body: "", match: "" }, { sentTo: "a@b.c" }],
    ["node", { body: "x" }, { body: "x" }],
    ["numbers as text", { body: "x", match: "1" }, { body: "x", match: "ANY" }],
    ["lower case", { BODY: "x", MATCH: "any" }, { body: "x", match: "ANY" }],
    ["unknown members", { body: "x", timeout: 5, errorOnTimeout: {} }, { body: "x" }],
    ["nothing", undefined, {}],
    ["null", null, {}],
  ])("are decoded: %s", (_library, body, criteria) => {
    expect(decodeBody(criteriaSchema, body)).toEqual(criteria);
  });

  test("an exact spelling takes precedence, whatever its position", () => {
    expect(decodeBody(serverRequestSchema, { name: "a", Name: "b" })).toEqual({ name: "a" });
    expect(decodeBody(serverRequestSchema, { Name: "b", name: "a" })).toEqual({ name: "a" });
  });

  test("names of members of Object are ignored", () => {
    const body: unknown = JSON.parse('{"__proto__":{"name":"a"},"constructor":"b","name":"c"}');
    expect(decodeBody(serverRequestSchema, body)).toEqual({ name: "c" });
  });
});

describe("a change of a server", () => {
  test("null disables a retention rule, absence keeps it", () => {
    const change = { retention: { ageSecondsMax: null } };
    expect(decodeBody(serverChangeSchema, change)).toEqual(change);
    expect(decodeBody(serverChangeSchema, { Retention: { MessageCountMax: 5 } })).toEqual({
      retention: { messageCountMax: 5 },
    });
  });

  test("users without a value are omitted, and an empty list is kept", () => {
    expect(decodeBody(serverChangeSchema, { users: ["a", null, "", "b"] })).toEqual({ users: ["a", "b"] });
    expect(decodeBody(serverChangeSchema, { users: [] })).toEqual({ users: [] });
  });

  test("read-only members are ignored, whatever their value", () => {
    expect(decodeBody(serverChangeSchema, { id: {}, messages: "many", name: "n" })).toEqual({ name: "n" });
  });
});

describe("errors name the field", () => {
  test.each([
    [criteriaSchema, { Subject: 5 }, "subject"],
    [criteriaSchema, { match: 2 }, "match"],
    [criteriaSchema, { match: "SOME" }, "match"],
    [criteriaSchema, { match: {} }, "match"],
    [criteriaSchema, [], "body"],
    [criteriaSchema, "text", "body"],
    [criteriaSchema, 5, "body"],
    [serverChangeSchema, { users: "me" }, "users"],
    [serverChangeSchema, { users: ["a", 5] }, "users[1]"],
    [serverChangeSchema, { retention: 5 }, "retention"],
    [serverChangeSchema, { retention: { ageSecondsMax: 1.5 } }, "retention.ageSecondsMax"],
    [serverRequestSchema, { withKey: "yes" }, "withKey"],
    // "" is no value of other types than strings and enums.
    [serverRequestSchema, { withKey: "" }, "withKey"],
    [serverRequestSchema, { ttlSeconds: "" }, "ttlSeconds"],
    [serverRequestSchema, { quota: "" }, "quota"],
    [serverChangeSchema, { users: "" }, "users"],
    // Only `match` may be given by its number.
    [webhookRequestSchema, { state: 0 }, "state"],
    [webhookRequestSchema, { state: "0" }, "state"],
    [marksRequestSchema, { flags: [0] }, "flags[0]"],
    // Arrays that must have elements have none that are absent.
    [webhookRequestSchema, { events: [null] }, "events[0]"],
    [taggingRequestSchema, { rules: [{ q: "a", tags: [""] }] }, "rules[0].tags[0]"],
    // Of several forms of a text, none is null.
    [smsRequestSchema, { from: 5 }, "from"],
  ])("%#", (schema, body, field) => {
    expect(rejectionOf(schema, body)?.field).toBe(field);
  });

  test("reports a missing required member", () => {
    const schema = schemaOf<{ number: string }>()(build.object({ number: build.string() }));
    expect(rejectionOf(schema, { number: "" })).toEqual({
      field: "number",
      description: "Is required",
      code: "required",
    });
  });
});

describe("a text of several forms", () => {
  test.each([null, ""])("is absent when it is %j", (from) => {
    expect(decodeBody(smsRequestSchema, { from, to: "+15550100" })).toEqual({ to: "+15550100" });
  });
});

describe("properties", () => {
  test("any JSON is decoded or rejected with a field", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(criteriaSchema, serverChangeSchema), (body, schema) => {
        const rejection = rejectionOf(schema, body);
        expect(rejection === undefined || rejection.field !== "").toBe(true);
      }),
    );
  });

  test("any spelling of names and any unset members decode alike", () => {
    const member = fc.option(fc.string({ minLength: 1 }), { nil: null });
    const criteria = fc.record({ sentFrom: member, sentTo: member, subject: member, body: member });
    const spell = (name: string, letters: readonly boolean[]): string =>
      Array.from(name, (letter, at) => (letters[at % letters.length] === true ? letter.toUpperCase() : letter)).join(
        "",
      );
    fc.assert(
      fc.property(criteria, fc.array(fc.boolean(), { minLength: 1 }), (given, letters) => {
        const spelt = Object.fromEntries(Object.entries(given).map(([name, value]) => [spell(name, letters), value]));
        const meant = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
        expect(decodeBody(criteriaSchema, spelt)).toEqual(meant);
      }),
    );
  });

  test("decoded strings are well-formed", () => {
    expect(decodeBody(serverRequestSchema, { name: "a\ud800" })).toEqual({ name: "a\ufffd" });
  });
});
