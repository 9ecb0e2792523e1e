/** Verdict of a spam filter on a mail. */
export interface SpamVerdict {
  /** Sum of the scores of the matched rules. */
  readonly score: number;
  /** Score from which on the mail is spam. */
  readonly threshold: number;
  /** Matched rules, highest score first. */
  readonly rules: readonly MatchedRule[];
}

/** Matched rule. */
export interface MatchedRule {
  readonly rule: string;
  readonly score: number;
  /** Never empty. */
  readonly description: string;
}
