import { globSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { longestWait, until } from "../src/testing/until.test-aid.ts";
import { ordinary, patient, patientFiles, timeLimitsOf } from "./time-limits.ts";

describe("time limits", () => {
  test("hold for the tests and waits of a file", ({ task }) => {
    expect([task.timeout, longestWait.ms]).toEqual([ordinary.testMs, ordinary.waitMs]);
    expect(timeLimitsOf("test/journeys/web/web-wide.test.ts")).toBe(patient);
    expect(timeLimitsOf("src/mime/parse-mail.test.ts")).toBe(ordinary);
  });

  test("end a wait with its condition before they end the test", async () => {
    const before = longestWait.ms;
    longestWait.ms = 0;
    try {
      await expect(until(() => false)).rejects.toThrow("this did not hold within 0 s: () => false");
    } finally {
      longestWait.ms = before;
    }
    for (const { testMs, waitMs } of [ordinary, patient]) expect(waitMs).toBeLessThan(testMs);
  });

  test("are longer only for files that exist", () => {
    const root = `${import.meta.dirname}/..`;
    const unused = patientFiles.filter(({ files }) => {
      const found = globSync(files, { cwd: root });
      return !found.some((file) => /\.test\.tsx?$/.test(file));
    });
    expect(unused).toEqual([]);
  });
});
