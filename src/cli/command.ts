/** What a command of the command line tool is. */
import type { Clock } from "../core/clock.ts";

/** A flag of a command. */
export interface Flag {
  /** Without hyphens in front. */
  readonly name: string;
  /** What its value is called in the help; null for a flag without value. */
  readonly value: string | null;
  readonly meaning: string;
  /** Whether it may be given several times; the values are joined by commas. */
  readonly isList?: true;
}

/** One row of the table of commands: all that help and the reference page show. */
export interface Command {
  /** The words that call it, such as `keys create`. */
  readonly name: string;
  /** Its arguments as the help shows them; each is required. */
  readonly operands: readonly string[];
  readonly flags: readonly Flag[];
  /** One line, without a full stop. */
  readonly summary: string;
  /** What else a user must know; one paragraph each. */
  readonly details: readonly string[];
  /** Exit code when the command fails; {@link exitCodes} unless 1 has another meaning. */
  readonly failureCode?: number;
  /** Brings the code that does it, so that each command loads only what it needs. */
  readonly load: () => Promise<Action>;
}

/** Does what a command says; resolves with the exit code. */
export type Action = (call: Call) => Promise<number>;

/** One use of a command. */
export interface Call {
  /** As many as the command has operands. */
  readonly operands: readonly string[];
  /** Values of the flags that were given; "" for flags without value. */
  readonly flags: ReadonlyMap<string, string>;
  /** What followed the command's name, as given. */
  readonly argv: readonly string[];
  readonly terminal: Terminal;
}

/** What the tool sees of the machine. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes text for the user's eyes, or for the next program. */
  out(text: string): void;
  /** Writes text about what went wrong. */
  error(text: string): void;
  /** Columns of the screen that shows what goes to `error`; undefined where that is no screen. */
  readonly errorColumns?: number | undefined;
  readonly clock: Clock;
}

/** Exit codes: done; failed; not understood. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

/** The tool was called in a way that it does not know; exit code 2. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}
