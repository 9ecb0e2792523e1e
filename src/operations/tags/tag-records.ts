import type { Context } from "../context.ts";
import { decodeMessageId } from "../../core/ids.ts";
import { noMarks } from "../../core/marks.ts";
import type { Summary } from "../../core/message.ts";
import { evaluate } from "../../core/search/search-expression.ts";
import { encodeSearchFields } from "../../core/search/search-fields.ts";
import { meetsTerm, type SearchFacts } from "../../core/search/term-match.ts";
import { isVerdictTag } from "../../core/smtp-session.ts";
import { ruleBodyLengthMax, tagsOfAddresses, validTags } from "../../core/tagging.ts";
import type { NewMessage } from "../../store/store.ts";
import { findTagging, type ParsedTagging } from "./tagging.ts";

/**
 * Returns new messages with the tags that the settings of their servers add to received ones. Rules compare at most the first
 * `ruleBodyLengthMax` characters of a body, and do not see tags of other rules.
 */
export async function tagRecords(context: Context, records: readonly NewMessage[]): Promise<readonly NewMessage[]> {
  const tagged: NewMessage[] = [];
  for (const record of records) {
    const { server, direction } = decodeMessageId(record.id);
    const found = direction === "Sent" ? null : findTagging(context, server);
    const tagging = found instanceof Promise ? await found : found;
    tagged.push(tagging === null ? record : tag(record, tagging));
  }
  return tagged;
}

function tag(record: NewMessage, { plusAddresses, rules }: ParsedTagging): NewMessage {
  const { flags, tags } = record.marks ?? noMarks;
  // Addresses are written by the sender, who must not judge itself.
  const isJudged = tags.some(isVerdictTag);
  const ofAddresses = plusAddresses
    ? tagsOfAddresses(addressesOf(record)).filter((tag) => !isJudged || !isVerdictTag(tag))
    : [];
  const facts = factsOf(record);
  const ofRules = rules.flatMap((rule) =>
    evaluate(rule.expression, (term) => meetsTerm(term, facts)) === true ? rule.tags : [],
  );
  const all = validTags([...tags, ...ofAddresses, ...ofRules]);
  return all.length === tags.length ? record : { ...record, marks: { ...record.marks, flags, tags: all } };
}

function factsOf({ id, keys, raw, marks = noMarks }: NewMessage): SearchFacts {
  const { subject, body } = keys;
  return {
    addresses: keys,
    labels: keys,
    texts: { subject, body: (body.text ?? "").slice(0, ruleBodyLengthMax) },
    fields: encodeSearchFields(keys.fields),
    marks,
    sizeBytes: raw.length,
    receivedAt: decodeMessageId(id).receivedAt,
    sequence: null,
  };
}

/** Returns the addresses of a message in their own letter case. */
function addressesOf({ summaryJson }: NewMessage): readonly string[] {
  const { from, to, cc, bcc } = JSON.parse(Buffer.from(summaryJson).toString("utf8")) as Summary;
  return [...to, ...cc, ...bcc, ...from].flatMap(({ email }) => email ?? []);
}
