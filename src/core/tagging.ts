/** Tags that mails get when they arrive: of their field X-Tags, of plus addresses, and by rules. */
import { markTagCountMax } from "./limits.ts";
import { readTag, tagIdentity } from "./marks.ts";
import type { HeaderField } from "./message.ts";

/** Returns the fields with a name, which is given in lower case, in order. */
export function fieldsNamed(headers: readonly HeaderField[], name: string): readonly HeaderField[] {
  const { length } = name;
  // Most names differ in length already, which costs no copy in lower case.
  return headers.filter(({ field }) => field.length === length && field.toLowerCase() === name);
}

/** Rule that adds tags to messages that arrive and match a query. */
export interface TagRule {
  readonly q: string;
  readonly tags: readonly string[];
}

/** Settings of a server for tags of messages that arrive. */
export interface Tagging {
  /** Whether `user+tag@domain` as sender or recipient adds the tag. */
  readonly plusAddresses: boolean;
  readonly rules: readonly TagRule[];
}

/** Settings of a server that has none. */
export const noTagging: Tagging = { plusAddresses: false, rules: [] };

/** Rules of a server, and tags of a rule. */
export const tagRuleCountMax = 50;
/** Comparisons of all rules of a server with one message; a word counts several times. */
export const tagRuleTermCountMax = 400;
/** Characters of a body that rules compare, so that a large mail does not take long. */
export const ruleBodyLengthMax: number = 128 * 1024;

/** Returns the valid tags of the fields X-Tags, which commas separate; others are left out. */
export function tagsOfHeaders(headers: readonly HeaderField[]): readonly string[] {
  const fields = fieldsNamed(headers, "x-tags");
  return fields.length === 0 ? [] : validTags(fields.flatMap(({ value }) => value.split(",")));
}

/** Returns the valid tags of plus addresses: `a+one+two@b.test` has two. */
export function tagsOfAddresses(addresses: readonly string[]): readonly string[] {
  return validTags(
    addresses.flatMap((address) => {
      const [local = ""] = address.split("@", 1);
      return address.includes("@") ? local.split("+").slice(1) : [];
    }),
  );
}

/** Returns the valid ones of tags, at most as many as a message can have; of those that differ in case only, the first. */
export function validTags(tags: readonly string[]): readonly string[] {
  const byIdentity = new Map<string, string>();
  for (const text of tags) {
    const tag = readTag(text);
    if (tag !== undefined && !byIdentity.has(tagIdentity(tag))) byIdentity.set(tagIdentity(tag), tag);
    if (byIdentity.size >= markTagCountMax) break;
  }
  return [...byIdentity.values()].toSorted();
}
