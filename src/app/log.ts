/** The log: one JSON object a line, with nothing in it that belongs to the mail's people. */
import { pino, stdTimeFunctions, destination, type Logger } from "pino";
import type { LogLevel } from "./settings/table.ts";

/** Writes one line; `fields` carry no addresses, subjects or secrets. */
type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** What rooms may log to. */
export interface Log {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
}

/** A log and the way to end it. */
export interface OpenLog extends Log {
  /** Writes out what is still waiting. */
  readonly flush: () => void;
}

/** Takes whole lines. */
export interface LineSink {
  write(line: string): unknown;
}

/** Fields that are cut out wherever a caller forgot itself, on the first and the second level. */
export const redactedFields = [
  "address",
  "apiKey",
  "authorization",
  "body",
  "email",
  "from",
  "key",
  "mailFrom",
  "password",
  "rcptTo",
  "recipient",
  "secret",
  "subject",
  "to",
] as const;

/** Longest text that waits to be written, in UTF-16 units; lines past it are dropped. */
const waitingLengthMax = 1024 * 1024;

/** Opens the log on standard error, or on a sink that is written to at once. */
export function openLog(level: LogLevel, sink?: LineSink): OpenLog {
  // A reader of standard error that stalls must not stall the service, so lines are written behind.
  const behind = sink === undefined ? destination({ fd: 2, sync: false, maxLength: waitingLengthMax }) : undefined;
  // Standard error may be a file on a disk that is full: lines wait, up to a bound, and the service goes on.
  behind?.on("error", () => undefined);
  const logger: Logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redactedFields.flatMap((field) => [field, `*.${field}`]), remove: true },
    },
    behind ?? sink,
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush: () => behind?.flushSync(),
  };
}
