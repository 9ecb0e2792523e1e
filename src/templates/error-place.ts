/** Places of errors of engines, which each states in a way of its own. */
import { fileURLToPath } from "node:url";
import { realpathSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { innerPath, TemplateFileError } from "./inner-path.ts";
import type { RenderFailure } from "./render-job.ts";

/** Template whose rendering failed. */
interface FailedTemplate {
  readonly folder: string;
  /** Path in the folder. */
  readonly file: string;
}

/** Members of the errors of engines. */
interface EngineError {
  readonly message?: unknown;
  readonly line?: unknown;
  readonly lineNumber?: unknown;
  readonly column?: unknown;
  readonly filename?: unknown;
  readonly stack?: unknown;
  /** Errors of esbuild. */
  readonly errors?: readonly { readonly text?: unknown; readonly location?: Location | null }[];
}

interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const messageLengthMax = 2000;

/** Returns an error as a result, with the place that its members, its message or its stack state. */
export function placeError(error: unknown, { folder, file }: FailedTemplate): RenderFailure {
  const failure = { kind: "failed", message: shorten(messageOf(error)), file, line: null, column: null } as const;
  if (typeof error !== "object" || error === null) return failure;
  if (error instanceof TemplateFileError) return { ...failure, ...ofMessage(folder, error.message) };
  const given = error as EngineError;
  const [first] = given.errors ?? [];
  if (first?.location) {
    const { file: path, line, column } = first.location;
    const inner = inFolder(folder, path) ?? file;
    return { ...failure, message: shorten(String(first.text)), file: inner, line, column: column + 1 };
  }
  const placed = [ofMembers(folder, given), ofMessage(folder, messageOf(error)), ofStack(folder, given)];
  return { ...failure, ...placed.find((one) => one !== undefined) };
}

type Place = Partial<Pick<RenderFailure, "file" | "line" | "column">>;

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as EngineError;
  return typeof message === "string" && message !== "" ? message : String(error);
}

function ofMembers(folder: string, { line, lineNumber, column, filename }: EngineError): Place | undefined {
  const at = line ?? lineNumber;
  if (typeof at !== "number") return undefined;
  const inner = typeof filename === "string" ? inFolder(folder, filename) : undefined;
  return { line: at, column: typeof column === "number" ? column : null, ...(inner !== undefined && { file: inner }) };
}

/** Reads `line 3 column 5`, `line:3, col:5`, `[Line 3, Column 5]` and `path.ejs:3`. */
function ofMessage(folder: string, message: string): Place | undefined {
  const head = message.slice(0, messageLengthMax);
  const [, path, colonLine] = /^(?:\S+: )?(\/[^\n:]+):(\d{1,6})$/m.exec(head) ?? [];
  const inner = path === undefined ? undefined : inFolder(folder, path);
  if (inner !== undefined) return { file: inner, line: Number(colonLine), column: null };
  const [, line, column] = /\bline:? ?(\d{1,6})(?:,? (?:col|column):? ?(\d{1,6}))?/i.exec(head) ?? [];
  if (line === undefined) return undefined;
  const [, named = ""] = /(?:file:|^\()(\/[^\n,)]+)/.exec(head) ?? [];
  const file = named === "" ? undefined : inFolder(folder, named);
  return {
    line: Number(line),
    column: column === undefined ? null : Number(column),
    ...(file !== undefined && { file }),
  };
}

/** Reads the first frame in the folder; the stacks of compiled components are mapped to their sources. */
function ofStack(folder: string, { stack }: EngineError): Place | undefined {
  if (typeof stack !== "string") return undefined;
  for (const line of stack.split("\n").slice(0, 50)) {
    const [, path, row, column] = /[ (](?:file:\/\/)?(\/[^\n ():]{1,1000}):(\d{1,6}):(\d{1,6})\)?$/.exec(line) ?? [];
    const inner = path === undefined || path.includes("/node_modules/") ? undefined : inFolder(folder, path);
    if (inner !== undefined) return { file: inner, line: Number(row), column: Number(column) };
  }
  return undefined;
}

function inFolder(folder: string, path: string): string | undefined {
  const file = path.startsWith("file:") ? fileURLToPath(path) : path;
  try {
    return innerPath(folder, realpathSync(isAbsolute(file) ? file : resolve(file)));
  } catch {
    // Not a file: the text only looks like a path.
    return undefined;
  }
}

function shorten(message: string): string {
  const lines = message.split("\n").map((line) => line.trimEnd());
  return lines
    .filter((line) => line !== "")
    .slice(0, 12)
    .join("\n")
    .slice(0, messageLengthMax)
    .toWellFormed();
}
