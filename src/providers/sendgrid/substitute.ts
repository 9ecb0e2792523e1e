import { Problem } from "../../core/errors.ts";

/** Characters compared in one request: text length times number of tags. */
const workMax = 1_000_000_000;
/** Work of a tag besides the comparison, in characters. */
const tagWork = 2000;
/** Characters of one body after substitution. */
const substitutedLengthMax = 32 * 1024 * 1024;

/** Work of substitutions in one request; throws `message_too_large` beyond its limit. */
export class SubstitutionBudget {
  #left = workMax;

  /** Returns the text with all tags replaced by their values, tag after tag. */
  apply(text: string, substitutions: Readonly<Record<string, string>>): string {
    let result = text;
    for (const [tag, value] of Object.entries(substitutions)) {
      this.#left -= result.length + tagWork;
      if (this.#left < 0) throw new Problem("message_too_large");
      if (tag !== "" && result.includes(tag)) result = replaceTag(result, tag, value);
    }
    return result;
  }
}

function replaceTag(text: string, tag: string, value: string): string {
  const growth = value.length - tag.length;
  let length = text.length;
  if (growth > 0) {
    for (let at = text.indexOf(tag); at !== -1; at = text.indexOf(tag, at + tag.length)) {
      length += growth;
      if (length > substitutedLengthMax) throw new Problem("message_too_large");
    }
  }
  return text.replaceAll(tag, () => value);
}
