import type { ByteBudget, ByteHold } from "../../core/byte-budget.ts";
import { imapCommandLimits, imapLineBytesMax } from "../../core/arrival-rate.ts";
import type { LineConnection, LineEnd } from "../lines/line-connection.ts";
import { type CommandPart, ImapSyntaxError, type ImapToken, tokenise } from "./tokenise.ts";

/** Lines of one command: all but the last one announce a literal. */
const lineCountMax = 100;

/** Command of a client. */
export interface ImapCommandLine {
  readonly kind: "command";
  readonly tag: string;
  /** In upper case. */
  readonly name: string;
  readonly arguments: readonly ImapToken[];
  /** Returns the memory of the literal that APPEND stores. */
  readonly release: () => void;
}

/** Result of reading a command. `rejected`: the command is answered with `response`, without its line end. */
export type CommandRead =
  | ImapCommandLine
  | { readonly kind: "rejected"; readonly response: string; readonly isError: boolean }
  | { readonly kind: "end"; readonly reason: LineEnd };

/** Bounds of {@link readCommand}. */
export interface CommandBounds {
  readonly isAuthenticated: boolean;
  /** Size of the mail that APPEND stores. */
  readonly mailBytesMax: number;
  /** Memory of such mails. */
  readonly budget: ByteBudget;
}

/** Reads the next command with its literals; reads and drops those over the bounds when the client does not wait. */
export async function readCommand(connection: LineConnection, bounds: CommandBounds): Promise<CommandRead> {
  const reader = new CommandReader(connection, bounds);
  try {
    return await reader.read();
  } catch (error) {
    reader.release();
    if (!(error instanceof ImapSyntaxError)) throw error;
    return { kind: "rejected", response: `${reader.tag} BAD ${error.message}`, isError: true };
  }
}

interface LiteralHeader {
  readonly text: string;
  readonly sizeBytes: number;
  /** Whether the client waits for permission to send the literal. */
  readonly waits: boolean;
}

class CommandReader {
  tag = "*";
  readonly #connection: LineConnection;
  readonly #bounds: CommandBounds;
  readonly #hold: ByteHold;
  readonly #parts: CommandPart[] = [];
  readonly #limits: (typeof imapCommandLimits)[keyof typeof imapCommandLimits];
  /** Bytes of the lines and of the literals that are arguments. */
  #commandBytes = 0;
  #argumentBytes = 0;
  #lineCount = 0;
  /** Response to a command over its bounds, of which the rest is read and dropped. */
  #refusal: string | null = null;

  constructor(connection: LineConnection, bounds: CommandBounds) {
    this.#connection = connection;
    this.#bounds = bounds;
    this.#hold = bounds.budget.hold();
    this.#limits = imapCommandLimits[bounds.isAuthenticated ? "authenticated" : "anonymous"];
  }

  release(): void {
    this.#hold.release();
  }

  async read(): Promise<CommandRead> {
    for (;;) {
      const line = await this.#connection.readLine();
      if (line.kind === "end") return this.#ended(line.reason);
      if (this.#lineCount === 0) this.#readTag(line.kind === "overlong" ? line.start : line.text);
      if (line.kind === "overlong") throw new ImapSyntaxError(`A line exceeds ${imapLineBytesMax} bytes`);
      this.#lineCount += 1;
      this.#count(line.text.length);
      const literal = literalOf(line.text);
      if (literal === null) return this.#finish(line.text);
      if (this.#refusal === null) this.#parts.push({ kind: "text", text: literal.text });
      const end = await this.#readLiteral(literal);
      if (end !== null) return end;
    }
  }

  #ended(reason: LineEnd): CommandRead {
    this.release();
    return { kind: "end", reason };
  }

  #readTag(line: string): void {
    const tag = /^[!#$&',\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]+(?= |$)/.exec(line)?.[0];
    if (tag !== undefined && tag.length <= 256) this.tag = tag;
  }

  #finish(text: string): CommandRead {
    if (this.#refusal !== null) {
      this.release();
      return { kind: "rejected", response: `${this.tag} ${this.#refusal}`, isError: this.#refusal.startsWith("BAD") };
    }
    const { name, rest } = this.#divide(this.#firstText(text));
    const parts: CommandPart[] =
      this.#parts.length === 0
        ? [{ kind: "text", text: rest }]
        : [{ kind: "text", text: rest }, ...this.#parts.slice(1), { kind: "text", text }];
    const tokens = tokenise(parts);
    return {
      kind: "command",
      tag: this.tag,
      name: name.toUpperCase(),
      arguments: tokens,
      release: () => {
        this.release();
      },
    };
  }

  /** Divides a line after its tag. */
  #divide(line: string): { readonly name: string; readonly rest: string } {
    let at = line.indexOf(" ");
    const isTagged = this.tag !== "*" && line.slice(0, Math.max(0, at)) === this.tag;
    while (line.charAt(at) === " ") at += 1;
    const end = line.indexOf(" ", at);
    const name = end === -1 ? line.slice(at) : line.slice(at, end);
    if (!isTagged || !/^[A-Za-z]\S*$/.test(name)) {
      throw new ImapSyntaxError("A command is a tag, a space and a name");
    }
    return { name, rest: end === -1 ? "" : line.slice(end + 1) };
  }

  #firstText(text: string): string {
    const [first] = this.#parts;
    return first?.kind === "text" ? first.text : text;
  }

  /** Returns the result of the command when it ends with the literal; null when it goes on. */
  async #readLiteral(literal: LiteralHeader): Promise<CommandRead | null> {
    const isStored = this.#isStored();
    this.#refusal ??= this.#refusalOf(literal, isStored);
    if (this.#refusal !== null) {
      if (literal.waits) return this.#finish("");
      if (literal.sizeBytes > this.#bounds.mailBytesMax) return this.#ended("closed");
      return await this.#drop(literal.sizeBytes);
    }
    if (literal.waits) await this.#connection.write("+ Ready for the literal\r\n");
    const bytes = Buffer.allocUnsafeSlow(literal.sizeBytes);
    let at = 0;
    for await (const chunk of this.#connection.readBytes(literal.sizeBytes)) at += chunk.copy(bytes, at);
    if (at < bytes.length) return this.#ended("closed");
    this.#parts.push({ kind: "literal", bytes, isStored });
    return null;
  }

  #count(bytes: number): void {
    const { commandBytesMax } = this.#limits;
    this.#commandBytes += bytes;
    if (this.#commandBytes > commandBytesMax)
      this.#refusal ??= `BAD [TOOBIG] A command exceeds ${commandBytesMax} bytes`;
    if (this.#lineCount > lineCountMax) this.#refusal ??= "BAD The command has too many literals";
  }

  async #drop(sizeBytes: number): Promise<CommandRead | null> {
    let count = 0;
    for await (const chunk of this.#connection.readBytes(sizeBytes)) count += chunk.length;
    return count < sizeBytes ? this.#ended("closed") : null;
  }

  /** Whether the next literal is the mail of APPEND: the first one may be the name of the mailbox. */
  #isStored(): boolean {
    const first = this.#firstText("");
    return (
      this.#bounds.isAuthenticated &&
      /^\S+ +APPEND +(?:\S|$)/i.test(first) &&
      (/APPEND +\S/i.test(first) || this.#parts.length > 1)
    );
  }

  #refusalOf({ sizeBytes }: LiteralHeader, isStored: boolean): string | null {
    const { mailBytesMax } = this.#bounds;
    if (isStored) {
      if (sizeBytes > mailBytesMax) return `NO [TOOBIG] The mail exceeds ${mailBytesMax} bytes`;
      if (this.#parts.some((part) => part.kind === "literal" && part.isStored))
        return "BAD Only one mail can be stored";
      return this.#hold.take(sizeBytes) ? null : "NO [UNAVAILABLE] Too many mails are stored at once; retry later";
    }
    this.#argumentBytes += sizeBytes;
    const { literalBytesMax } = this.#limits;
    if (this.#argumentBytes > literalBytesMax)
      return `BAD [TOOBIG] The literals of a command exceed ${literalBytesMax} bytes`;
    this.#count(sizeBytes);
    return this.#refusal;
  }
}

/** Returns the announcement of a literal at the end of a line; null when there is none. */
function literalOf(line: string): LiteralHeader | null {
  const [whole, size = "", plus] = /~?\{(\d{1,15})(\+?)\}$/.exec(line) ?? [];
  if (whole === undefined) return null;
  return { text: line.slice(0, line.length - whole.length), sizeBytes: Number(size), waits: plus === "" };
}
