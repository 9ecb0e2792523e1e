/** What a spam filter says of a mail. */
export interface SpamVerdict {
  /** The sum of the rules' scores. */
  readonly score: number;
  /** From where on the filter calls a mail spam. */
  readonly threshold: number;
  /** The rules that matched, the heaviest first. */
  readonly rules: readonly MatchedRule[];
}

/** A rule that matched. */
export interface MatchedRule {
  readonly rule: string;
  readonly score: number;
  /** Never empty. */
  readonly description: string;
}
