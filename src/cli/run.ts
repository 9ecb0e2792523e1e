import { parseArgs } from "node:util";
import { SettingsError } from "../app/settings/config.ts";
import { systemClock } from "../core/clock.ts";
import { suggestion } from "../core/nearest-name.ts";
import { exitCodes, UsageError, type Call, type Command, type Flag, type Terminal } from "./command.ts";
import { commands } from "./commands.ts";
import { helpText, unknownCommand } from "./help.ts";
import { plainMessage } from "./plain-message.ts";

/** Calls {@link run} with the environment and streams of this process, and keeps the process alive until it resolves. */
export async function runHere(argv: readonly string[]): Promise<number> {
  // A command may wait for a timer of the clock only, and those do not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await run(argv, terminalHere());
  } finally {
    clearInterval(alive);
  }
}

function terminalHere(): Terminal {
  return {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
    errorColumns: process.stderr.isTTY ? process.stderr.columns : undefined,
    clock: systemClock,
  };
}

/**
 * Runs the command of the arguments and returns its exit code, see {@link exitCodes}. Errors are printed as one sentence
 * without a stack: `restante: …`.
 */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(argv, terminal);
  } catch (error) {
    const message = error instanceof Error ? plainMessage(error) : String(error);
    for (const line of message.split("\n")) terminal.error(`restante: ${line}\n`);
    const isUsageError = error instanceof UsageError || error instanceof SettingsError;
    if (isUsageError) return exitCodes.usage;
    return commands.find((command) => isNamedBy(command, argv))?.failureCode ?? exitCodes.failed;
  }
}

async function dispatch(argv: readonly string[], terminal: Terminal): Promise<number> {
  if (argv.length === 0) {
    terminal.error(helpText([]));
    return exitCodes.usage;
  }
  const words = argv.map((word) => aliases.get(word) ?? word);
  if (words[0] !== "help" && words.includes("help")) return dispatch(["help", ...wordsBeforeFlags(argv)], terminal);
  const command = findCommand(words);
  const rest = argv.slice(command.name.split(" ").length);
  const action = await command.load();
  return action(readCall(command, rest, terminal));
}

/** Conventional aliases. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["--help", "help"],
  ["-h", "help"],
  ["--version", "version"],
  ["-v", "version"],
  ["-V", "version"],
]);

function wordsBeforeFlags(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith("-"));
  return end < 0 ? argv : argv.slice(0, end);
}

function isNamedBy({ name }: Command, words: readonly string[]): boolean {
  return name.split(" ").every((word, position) => words[position] === word);
}

function findCommand(words: readonly string[]): Command {
  const found = commands.find((command) => isNamedBy(command, words));
  if (found !== undefined) return found;
  const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `));
  if (group.length === 0) throw new UsageError(unknownCommand(words[0] ?? ""));
  throw new UsageError(`use one of: ${group.map(({ name }) => `restante ${name}`).join(", ")}`);
}

/** Parses the arguments by the table of commands; `serve` and `help` parse theirs themselves. */
function readCall(command: Command, argv: readonly string[], terminal: Terminal): Call {
  if (command.name === "serve" || command.name === "help") return { operands: [], flags: new Map(), argv, terminal };
  const options = Object.fromEntries(command.flags.map((flag) => [flag.name, { type: optionType(flag.value) }]));
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const flags = new Map<string, string>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind !== "option") continue;
    const { isList } = checkFlag(command, token);
    const before = isList === true ? flags.get(token.name) : undefined;
    flags.set(token.name, `${before === undefined ? "" : `${before},`}${token.value ?? ""}`);
  }
  if (operands.length !== command.operands.length) throw new UsageError(operandProblem(command));
  return { operands, flags, argv, terminal };
}

function optionType(value: string | null): "string" | "boolean" {
  return value === null ? "boolean" : "string";
}

function checkFlag(command: Command, token: { name: string; rawName: string; value?: string | undefined }): Flag {
  const names = command.flags.map((flag) => `--${flag.name}`);
  const flag = command.flags.find(({ name }) => `--${name}` === token.rawName);
  if (flag === undefined) {
    const similar = suggestion(token.rawName, names);
    throw new UsageError(`restante ${command.name} has no flag ${token.rawName}${similar}`);
  }
  if (flag.value !== null && token.value === undefined) throw new UsageError(`${token.rawName} needs a value`);
  if (flag.value === null && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`);
  return flag;
}

function operandProblem({ name, operands }: Command): string {
  return operands.length === 0
    ? `restante ${name} takes no arguments`
    : `usage: restante ${name} ${operands.join(" ")}`;
}
