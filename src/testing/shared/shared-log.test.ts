import { expect, test } from "vitest";
import { openSharedLog } from "./shared-log.ts";

test("passes lines to the file and to the callers that follow their level", () => {
  const [file, all, errors, none]: string[][] = [[], [], [], []];
  const shared = openSharedLog((line) => file?.push(line));
  const unfollow = shared.follow("debug", (line) => all?.push(line));
  shared.follow("error", (line) => errors?.push(line));
  shared.follow("silent", (line) => none?.push(line));
  shared.log.debug({ step: 1 }, "detail");
  shared.log.error({ step: 2 }, "failure");
  unfollow();
  shared.log.debug({ step: 3 }, "detail");
  const steps = (lines: readonly string[] = []) => lines.map((line) => (JSON.parse(line) as { step: number }).step);
  expect([steps(file), steps(all), steps(errors), none]).toEqual([[2], [1, 2], [2], []]);
});
