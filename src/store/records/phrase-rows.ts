import { rowsOf, type Query } from "../sql/query.ts";

/** Statements about approved phrases, which are one value of the state. Their guarantees are those of `PhraseStore`. */
export class PhraseRows {
  *getPhrases(): Query<readonly string[] | null> {
    const [row] = yield* rowsOf<{ readonly phrases: string | null }>("select phrases from state");
    return row === undefined || row.phrases === null ? null : (JSON.parse(row.phrases) as readonly string[]);
  }

  *setPhrases(phrases: readonly string[]): Query<void> {
    yield* rowsOf("update state set phrases = $1", [JSON.stringify(phrases)]);
  }
}
