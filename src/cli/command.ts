/** Commands of the command line tool: their types, and what their actions read and print. */
import { readFileSync } from "node:fs";
import { readSettings, type Config } from "../app/settings/config.ts";
import type { Clock } from "../core/clock.ts";

/** Flag of a command. */
export interface Flag {
  /** Name without leading hyphens. */
  readonly name: string;
  /** Placeholder of the value in the help; null for a flag without value. */
  readonly value: string | null;
  readonly meaning: string;
  /** Whether the flag may be repeated; its values are joined by commas. */
  readonly isList?: true;
}

/** Row of the table of commands, from which help and the reference page are generated. */
export interface Command {
  /** Words of the command, such as `keys create`. */
  readonly name: string;
  /** Placeholders of its arguments, all required. */
  readonly operands: readonly string[];
  readonly flags: readonly Flag[];
  /** Imperative in one line, without a full stop. */
  readonly summary: string;
  /** Further paragraphs of the help. */
  readonly details: readonly string[];
  /** Exit code when the command fails; absent: 1, see {@link exitCodes}. */
  readonly failureCode?: number;
  /** Imports the code of the command; each command loads only its own. */
  readonly load: () => Promise<Action>;
}

/**
 * Meanings of flags by their usage: `name` for a flag without value, `name VALUE` for one with a value, and `name VALUE...` for
 * one that may be repeated.
 */
export type Flags = Readonly<Record<string, string>>;

/** Members of a row of the table of commands. */
export type CommandRow = Pick<Command, "summary" | "load"> &
  Partial<Omit<Command, "flags">> & { readonly flags?: Flags };

/** Returns a row of the table of commands. Without further members it takes neither operands nor flags. */
export function command(name: string, { flags = {}, ...row }: CommandRow): Command {
  return { name, operands: [], details: [], ...row, flags: Object.entries(flags).map(flagOf) };
}

function flagOf([usage, meaning]: readonly [string, string]): Flag {
  const [name = "", value = null] = usage.replace("...", "").split(" ");
  return { name, value, meaning, ...(usage.endsWith("...") && { isList: true }) };
}

/** Implementation of a command; resolves with the exit code. */
export type Action = (call: Call) => Promise<number>;

/** Invocation of a command. */
export interface Call {
  /** Values of the operands, one for each. */
  readonly operands: readonly string[];
  /** Values of the given flags; "" for flags without value. */
  readonly flags: ReadonlyMap<string, string>;
  /** Arguments after the name of the command, unparsed. */
  readonly argv: readonly string[];
  readonly terminal: Terminal;
}

/** Environment, output streams and clock of the tool. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes to standard output. */
  out(text: string): void;
  /** Writes to standard error. */
  error(text: string): void;
  /** Width of the terminal on standard error; undefined when it is not a terminal. */
  readonly errorColumns?: number | undefined;
  readonly clock: Clock;
}

/** Exit codes: success; failure; usage error. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

/** Error about an invalid invocation of the tool; exit code 2. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** Reads the settings of a command from the environment and its flag `--data-dir`. */
export function configOf({ flags, terminal }: Call): Config {
  const dataDir = flags.get("data-dir");
  const argv = dataDir === undefined ? [] : [`--data-dir=${dataDir}`];
  return readSettings(terminal.environment, argv).config;
}

/** Returns the integer value of a flag; undefined when the flag is absent. Throws an `Error` for the operator. */
export function wholeNumberOf(flags: ReadonlyMap<string, string>, name: string, alternative = ""): number | undefined {
  const text = flags.get(name);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Error(`--${name} must be a whole number${alternative}`);
}

/** Returns the JSON of a file, `-` for standard input. Throws an `Error` for the operator when it is not JSON. */
export function readJson(file: string): unknown {
  const text = readFileSync(file === "-" ? 0 : file, "utf8");
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${file}: not JSON`, { cause: error });
  }
}

/** Returns a value as indented JSON that ends with a line feed. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Lines of fields that tabs separate, or a text that is printed as it is; undefined to print nothing. */
export type Printed = readonly (readonly string[])[] | string | void;

/** Prints lines without control characters, which could contain terminal escape sequences, or a text. */
export function print({ out }: Pick<Terminal, "out">, printed: Printed): void {
  if (typeof printed === "string") out(printed);
  else {
    for (const fields of printed ?? []) out(`${fields.map((field) => field.replaceAll(/\p{Cc}/gu, " ")).join("\t")}\n`);
  }
}
