import { expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import { scannerProfiles } from "../../core/scanner.ts";
import { behaviourOf, profileBehaviours, readScanner } from "./scanner-settings.ts";

function fieldsOf(body: unknown): readonly string[] {
  try {
    readScanner(body);
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.fields.map(({ field }) => field);
  }
}

test.each(scannerProfiles)("accepts the profile %s alone", (profile) => {
  expect(behaviourOf(readScanner({ profile }))).toEqual(profileBehaviours[profile]);
});

test("replaces members of the profile", () => {
  const settings = readScanner({ profile: "safelinks", methods: ["GET"], delayMs: 600_000, when: "after" });
  expect(behaviourOf(settings)).toEqual({
    ...profileBehaviours.safelinks,
    methods: ["GET"],
    delayMs: 600_000,
    when: "after",
  });
});

test.each([
  [null, ["body"]],
  [{}, ["profile"]],
  [{ profile: "other" }, ["profile", "profile"]],
  [{ profile: "custom", delayMs: 600_001 }, ["delayMs"]],
  [{ profile: "custom", delayMs: -1 }, ["delayMs"]],
  [{ profile: "custom", methods: [] }, ["methods"]],
  [{ profile: "custom", methods: ["POST"] }, ["methods[0]"]],
  [{ profile: "custom", methods: ["GET", "GET"] }, ["methods"]],
  [{ profile: "custom", userAgent: "a\r\nX-Other: 1" }, ["userAgent"]],
  [{ profile: "custom", userAgent: "ä" }, ["userAgent"]],
  [{ profile: "custom", userAgent: "a".repeat(501) }, ["userAgent"]],
  [{ profile: "custom", targets: "all" }, ["targets"]],
  [{ profile: "custom", when: "never" }, ["when"]],
  [{ profile: "custom", renders: "yes" }, ["renders"]],
  [{ profile: "gmail-image-proxy", renders: true }, ["renders"]],
  [{ profile: "safelinks", methods: ["HEAD"], renders: true }, ["renders"]],
  [{ profile: "custom", redirects: 1 }, ["redirects"]],
])("rejects %j", (body, fields) => {
  expect(fieldsOf(body)).toEqual(expect.arrayContaining([...new Set(fields)]));
});
