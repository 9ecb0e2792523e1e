import { build, type ValueOf } from "./schema.ts";

/**
 * Results of a check of the sender: `neutral` also where nothing is published or signed, and for soft failures; `unknown` when DNS
 * or this service did not answer in time.
 */
const results = ["pass", "fail", "neutral", "unknown"] as const;

/** Schema of {@link SenderVerdicts}. */
export const senderVerdictsSchema = build.object({
  spf: build.enum([...results]),
  dkim: build.enum([...results]),
  dmarc: build.enum([...results]),
});

/** Results of SPF, DKIM and DMARC at the arrival of a mail. */
export type SenderVerdicts = ValueOf<typeof senderVerdictsSchema>;

/** Result of one check. */
export type SenderResult = SenderVerdicts["spf"];

/** Tags that only the verdicts give. */
const reserved = new RegExp(`^(?:spf|dkim|dmarc)-(?:${results.join("|")})$`, "i");

/** Returns the tags of a mail with these verdicts, such as `spf-pass`. */
export function tagsOfVerdicts({ spf, dkim, dmarc }: SenderVerdicts): readonly string[] {
  return [`spf-${spf}`, `dkim-${dkim}`, `dmarc-${dmarc}`];
}

/** Returns whether a tag is one of {@link tagsOfVerdicts}, which senders must not give to their mail. */
export function isVerdictTag(tag: string): boolean {
  return reserved.test(tag);
}
