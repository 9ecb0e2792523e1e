/** Structured log: one JSON object per line, without addresses, subjects or secrets. */
import { pino, stdTimeFunctions, destination, type Logger } from "pino";
import type { LogLevel } from "../settings/table.ts";

/** Writes one line; `fields` must not contain addresses, subjects or secrets. */
type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Log with a method for each level. */
export interface Log {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
}

/** Log that can be flushed. */
export interface OpenLog extends Log {
  /** Writes buffered lines synchronously. */
  readonly flush: () => void;
}

/** Receiver of whole lines. */
export interface LineSink {
  write(line: string): unknown;
}

/** Fields that are removed from every line, on the first and second level. */
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

/** Size of the write buffer in UTF-16 units; further lines are dropped. */
const bufferLengthMax = 1024 * 1024;

/** Opens the log on standard error (buffered), or on a sink (unbuffered). */
export function openLog(level: LogLevel, sink?: LineSink): OpenLog {
  // Asynchronous, so that a stalled reader of standard error does not stall the service.
  const buffered = sink === undefined ? destination({ fd: 2, sync: false, maxLength: bufferLengthMax }) : undefined;
  // Harmless: standard error may be a file on a full disk; lines stay in the bounded buffer and the service continues.
  buffered?.on("error", () => undefined);
  const logger: Logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redactedFields.flatMap((field) => [field, `*.${field}`]), remove: true },
    },
    buffered ?? sink,
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush: () => buffered?.flushSync(),
  };
}
