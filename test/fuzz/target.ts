/** Target of fuzzing: a reader of outside bytes, or a listener of a running service. */
export interface FuzzTarget {
  /** Name of the target, and of its folder in `corpus`. */
  readonly name: string;
  /** Inputs that the target accepts, from which mutations start; `\n` in texts stands for CRLF where the format requires it. */
  readonly seeds: readonly Buffer[];
  /** Words of the format, which mutations insert. */
  readonly tokens: readonly string[];
  /** Restores members of an input that a mutation made inconsistent, such as a length. */
  readonly repair?: (input: Buffer) => Buffer;
  /** Prepares the target; {@link OpenTarget.run} is then called for each input. */
  readonly open: () => Promise<OpenTarget>;
}

/** Prepared target. */
export interface OpenTarget extends AsyncDisposable {
  /** Passes one input to the target. Throws or rejects when the target breaks a guarantee. */
  readonly run: (input: Buffer) => void | Promise<void>;
}

/** Returns a target without state, whose reader must not throw. */
export function readerTarget({
  name,
  seeds,
  tokens,
  read,
}: Pick<FuzzTarget, "name" | "tokens"> & {
  readonly seeds: readonly (string | Buffer)[];
  readonly read: (input: Buffer) => unknown;
}): FuzzTarget {
  return {
    name,
    seeds: seeds.map((seed) => Buffer.from(seed)),
    tokens,
    open: () =>
      Promise.resolve({
        run: async (input) => {
          await read(input);
        },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
  };
}
