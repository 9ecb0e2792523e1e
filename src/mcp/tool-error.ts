/** Members of a {@link ToolError} beside its message. */
export interface ToolErrorDetails {
  /** Content of messages that belongs to the error, fenced. */
  readonly fenced?: string | null;
  /** Whether the object of the call does not exist, or the caller cannot access it. */
  readonly isNotFound?: boolean;
}

/** Error of a tool for the model: what is wrong, and what to do next. */
export class ToolError extends Error {
  override readonly name: string = "ToolError";
  readonly fenced: string | null;
  readonly isNotFound: boolean;

  constructor(message: string, { fenced = null, isNotFound = false }: ToolErrorDetails = {}) {
    super(message);
    this.fenced = fenced;
    this.isNotFound = isNotFound;
  }
}
