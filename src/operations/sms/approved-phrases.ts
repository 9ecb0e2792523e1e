/** Approved phrases: the only texts of SMS that tests may send, to prevent abuse. */
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { foldText } from "../../core/fold.ts";
import { requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";

type Dependencies = Pick<Context, "store" | "settings">;

const phraseCountMax = 1000;
const phraseLengthMax = 160;

/** Returns the current phrases: those set last, else those of the settings. */
export async function getApprovedPhrases(context: Dependencies): Promise<readonly string[]> {
  return (await context.store.phrases.getPhrases()) ?? context.settings.approvedPhrases;
}

/** Replaces all phrases, trimmed and without duplicates. Rejects with `forbidden` or a 400 on `phrases`. */
export async function setApprovedPhrases(
  context: Dependencies,
  principal: Principal,
  phrases: readonly string[] | undefined,
): Promise<readonly string[]> {
  requireAccount(principal);
  if (phrases === undefined) throw invalidField("phrases", "Give a list of phrases", "required");
  const byFold = new Map(phrases.map((phrase) => [foldText(phrase.trim()), phrase.trim()]));
  byFold.delete("");
  const kept = Array.from(byFold.values());
  if (kept.length > phraseCountMax || kept.some((phrase) => phrase.length > phraseLengthMax)) {
    const bounds = `${String(phraseCountMax)} phrases of at most ${String(phraseLengthMax)} characters`;
    throw invalidField("phrases", `At most ${bounds}`, "too_long");
  }
  await context.store.phrases.setPhrases(kept);
  return kept;
}

/** Throws a 400 on `text` unless it is an approved phrase, regardless of letter case and surrounding blanks. */
export async function checkPhrase(context: Dependencies, text: string): Promise<void> {
  const wanted = foldText(text.trim());
  const approved = await getApprovedPhrases(context);
  if (approved.some((phrase) => foldText(phrase.trim()) === wanted)) return;
  throw invalidField("text", "Only approved phrases may be sent", "not_approved");
}
