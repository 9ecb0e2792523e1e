/** Error in a template, in the words of its language. */
export class TemplateError extends Error {
  override readonly name: string = "TemplateError";
}

/** Budget of a rendering, and whether values are written into HTML. */
export interface RenderOptions {
  readonly budget: RenderBudget;
  readonly isHtml: boolean;
}

/** Renders a source with data. Throws {@link TemplateError}, and errors of the library of its language. */
export type RenderTemplate = (source: string, data: unknown, options: RenderOptions) => string;

/** Limits of one job. */
export interface RenderLimits {
  /** Tags and iterations that are executed. */
  readonly stepCountMax: number;
  /** UTF-16 units of all rendered sources. */
  readonly outputLengthMax: number;
  /** UTF-16 units of all values that are made meanwhile; an element of a list counts as {@link elementUnits}. */
  readonly allocatedMax: number;
  /** Tags in all sources; parsers take memory and time for each. */
  readonly tagCountMax: number;
}

/** Limits of the service. A job within them takes a fraction of its time limit. */
export const renderLimits: RenderLimits = {
  stepCountMax: 1_000_000,
  outputLengthMax: 10 * 1024 * 1024,
  allocatedMax: 96 * 1024 * 1024,
  tagCountMax: 3000,
};

/** Blocks and parentheses that may be nested. */
export const nestingMax = 100;

/** UTF-16 units of one tag; parsers take quadratic time for long ones. */
const tagLengthMax = 2000;

/** Memory of an element of a list or a member of an object, in UTF-16 units: a pointer, and a short text. */
const elementUnits = 16;

/** Counts the work of one job; throws a {@link TemplateError} when a limit is exceeded. */
export class RenderBudget {
  readonly #limits: RenderLimits;
  #stepCount = 0;
  #outputLength = 0;
  #tagCount = 0;
  #allocated = 0;

  constructor(limits: RenderLimits) {
    this.#limits = limits;
  }

  /** UTF-16 units that were allocated. */
  get allocated(): number {
    return this.#allocated;
  }

  /** UTF-16 units that were written. */
  get outputLength(): number {
    return this.#outputLength;
  }

  /** Counts a tag or an iteration that is executed. */
  step(): void {
    this.#stepCount += 1;
    if (this.#stepCount > this.#limits.stepCountMax) {
      throw new TemplateError(`The template executes more than ${String(this.#limits.stepCountMax)} tags`);
    }
  }

  /** Counts the units of a text before it is made; what a value refers to is not counted again. */
  allocate(units: number): void {
    this.#allocated += units;
    if (this.#allocated > this.#limits.allocatedMax) throw new TemplateError("The template needs too much memory");
  }

  /** Counts the elements of a list before it is made. */
  allocateElements(count: number): void {
    this.allocate(count * elementUnits);
  }

  /** Counts output. */
  write(length: number): void {
    this.#outputLength += length;
    if (this.#outputLength > this.#limits.outputLengthMax) {
      throw new TemplateError(`The output is longer than ${String(this.#limits.outputLengthMax)} characters`);
    }
  }

  /** Counts the tags of a source. Comments (`{{! … }}`) may have any length. */
  readTags(source: string, opening: string, closing: string): void {
    for (let at = source.indexOf(opening); at !== -1; at = source.indexOf(opening, at + opening.length)) {
      this.#tagCount += 1;
      if (this.#tagCount > this.#limits.tagCountMax) {
        throw new TemplateError(`The template has more than ${String(this.#limits.tagCountMax)} tags`);
      }
      const end = source.indexOf(closing, at);
      const length = (end === -1 ? source.length : end) - at;
      if (length > tagLengthMax && !/^\{\{~?!/.test(source.slice(at, at + 4))) {
        throw new TemplateError(`A tag is longer than ${String(tagLengthMax)} characters`);
      }
    }
  }
}

/** Collects output within a budget. */
export class Output {
  readonly #budget: RenderBudget;
  readonly #chunks: string[] = [];

  constructor(budget: RenderBudget) {
    this.#budget = budget;
  }

  /** Appends text. */
  write(text: string): void {
    this.#budget.write(text.length);
    this.#chunks.push(text);
  }

  /** Returns everything that was written. */
  toString(): string {
    return this.#chunks.join("");
  }
}
