import { writeSync } from "node:fs";
import { openLog, type LineSink, type OpenLog } from "../../app/log/log.ts";
import type { LogLevel } from "../../app/settings/table.ts";

/** Levels, most detailed first. */
const levels: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];

/** Size of the log file in UTF-16 units from which no further lines are written to it. */
const fileLengthMax = 16 * 1024 * 1024;

/** Log of a shared service. */
export interface SharedLog {
  readonly log: OpenLog;
  /** Also passes lines of this level and above to `onLine`, until the returned function is called. */
  follow(level: LogLevel, onLine: (line: string) => void): () => void;
}

/** Opens a log that goes to the file from level `info` on, and to callers that follow it. */
export function openSharedLog(writeToFile: (line: string) => void): SharedLog {
  const followers = new Set<{ readonly rank: number; readonly onLine: (line: string) => void }>();
  let length = 0;
  const sink: LineSink = {
    write: (line) => {
      const rank = rankOf((JSON.parse(line) as { level: LogLevel }).level);
      length += line.length;
      if (rank >= rankOf("info") && length <= fileLengthMax) writeToFile(line);
      for (const follower of followers) if (rank >= follower.rank) follower.onLine(line);
    },
  };
  const [debug, info] = [openLog("debug", sink), openLog("info", sink)];
  // Lines of level `debug` cost time with every request.
  const isDebugged = (): boolean => Array.from(followers).some(({ rank }) => rank === rankOf("debug"));
  const log: OpenLog = {
    ...info,
    debug: (fields, message) => {
      if (isDebugged()) debug.debug(fields, message);
    },
  };
  return {
    log,
    follow: (level, onLine) => {
      const follower = { rank: rankOf(level), onLine };
      if (level !== "silent") followers.add(follower);
      return () => followers.delete(follower);
    },
  };
}

/** Writes to standard error, which is the log file in the process of a shared service. */
export function writeToStandardError(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // The file may be on a full disk; the service continues, and callers still get the line.
  }
}

function rankOf(level: LogLevel): number {
  return levels.indexOf(level);
}
