import { describe, expect, test } from "vitest";
import { openLog, redactedFields, type Log } from "./log.ts";
import type { LogLevel } from "../settings/table.ts";

function logged(level: LogLevel, write: (log: Log) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  write(openLog(level, { write: (line) => lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const writeEach = (log: Log): void => {
  for (const level of ["debug", "info", "warn", "error"] as const) log[level]({ level: "mine" }, level);
};

describe("log", () => {
  test("writes one JSON object per line with level, time and message", () => {
    const [line] = logged("info", (log) => log.warn({ reason: "idle", count: 2 }, "session closed"));
    expect(line).toEqual({
      level: "warn",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
      reason: "idle",
      count: 2,
      msg: "session closed",
    });
  });

  test.each([
    ["silent", 0],
    ["error", 1],
    ["warn", 2],
    ["info", 3],
    ["debug", 4],
  ] as const)("writes at level %s %i of the four levels", (level, count) => {
    expect(logged(level, writeEach)).toHaveLength(count);
  });

  test.each(redactedFields)("removes the field %s on the first and second level", (field) => {
    const lines = logged("debug", (log) => {
      log.error({ [field]: "alice@corp.example", mail: { [field]: "alice@corp.example", size: 3 } }, "refused");
    });
    expect(lines[0]).toMatchObject({ mail: { size: 3 } });
    expect(JSON.stringify(lines)).not.toContain("alice");
  });

  test("writes type, message and stack of an error", () => {
    const [line] = logged("info", (log) => log.error({ err: new TypeError("broken") }, "fault"));
    expect(line?.["err"]).toMatchObject({ type: "TypeError", message: "broken", stack: expect.any(String) as unknown });
  });
});
