/** Figures of one process that fuzzes a target. */
export interface FuzzFigures {
  /** Inputs that ran. */
  readonly runs: number;
  /** Blocks of the sources that ran. */
  readonly blocks: number;
  /** Inputs that mutations start from. */
  readonly inputs: number;
}

/** Message of a process that fuzzes; inputs in base64. */
export type FuzzMessage =
  | ({ readonly kind: "progress" | "done" } & FuzzFigures)
  | { readonly kind: "finding"; readonly reason: string; readonly input: string };
