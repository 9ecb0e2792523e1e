/** Settings of servers for tags of messages that arrive. */
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import { type ServerId, decodeMessageId } from "../../core/ids.ts";
import { markTagCountMax, markTagLengthMax } from "../../core/limits.ts";
import { readTag, noMarks } from "../../core/marks.ts";
import { hasTerm, occurringTerms, type SearchExpression, evaluate } from "../../core/search/search-expression.ts";
import {
  noTagging,
  tagRuleCountMax,
  tagRuleTermCountMax,
  type Tagging,
  type TagRule,
  ruleBodyLengthMax,
  tagsOfAddresses,
  validTags,
} from "../../core/tagging.ts";
import { parseQuery } from "../../core/search/parse-query.ts";
import type { Store, NewMessage } from "../../store/store.ts";
import { openServer } from "../services/security/access.ts";
import { readQuery } from "../services/search/read-search.ts";
import type { Context } from "../context.ts";
import type { Summary } from "../../core/message.ts";
import { encodeSearchFields } from "../../core/search/search-fields.ts";
import { meetsTerm, type SearchFacts } from "../../core/search/term-match.ts";
import { isVerdictTag } from "../../core/smtp-session.ts";

/** Settings with their rules parsed. */
interface ParsedTagging {
  readonly plusAddresses: boolean;
  readonly rules: readonly { readonly expression: SearchExpression; readonly tags: readonly string[] }[];
}

interface CachedTagging {
  readonly tagging: ParsedTagging | null;
  /** Instant of the monotonic clock from which it is read again. */
  readonly until: number;
}

/** Time after which a change on another node applies, in milliseconds. */
const cacheMs = 1000;
const cachedServerCountMax = 10_000;
const caches = new WeakMap<Store, Map<ServerId, CachedTagging>>();

/** Returns the settings of a server. Rejects with `not_found`. */
export async function getTagging(context: Context, principal: Principal, server: string): Promise<Tagging> {
  const { id } = await openServer(context, principal, server);
  return (await readTagging(context, id)) ?? noTagging;
}

/**
 * Replaces the settings of a server; returns them. They apply to messages that arrive from now on; on other nodes within a
 * second. Rejects with `not_found`, or a 400 that names every wrong member.
 */
export async function putTagging(
  context: Context,
  principal: Principal,
  { server, tagging }: { readonly server: string; readonly tagging: Tagging },
): Promise<Tagging> {
  const { id } = await openServer(context, principal, server);
  const rules = checkRules(context, tagging.rules);
  const checked: Tagging = { plusAddresses: tagging.plusAddresses, rules };
  const value = {
    json: JSON.stringify(checked),
    expiresAt: null,
    version: null,
    now: context.clock.now(),
    countMax: 1,
  };
  await context.store.providerObjects.putObject({ ...keyOf(id), ...value });
  caches.get(context.store)?.delete(id);
  return checked;
}

/** Returns the settings of a server for a message that arrives, without a promise from a cache; null without any. */
export function findTagging(context: Context, server: ServerId): ParsedTagging | null | Promise<ParsedTagging | null> {
  const cached = caches.get(context.store)?.get(server);
  return cached !== undefined && context.clock.monotonicMs() < cached.until
    ? cached.tagging
    : readIntoCache(context, server);
}

async function readIntoCache(context: Context, server: ServerId): Promise<ParsedTagging | null> {
  const { store, clock } = context;
  const cache = caches.get(store) ?? new Map<ServerId, CachedTagging>();
  caches.set(store, cache);
  const until = clock.monotonicMs() + cacheMs;
  const tagging = parse(await readTagging(context, server), clock.now());
  if (cache.size >= cachedServerCountMax) cache.clear();
  cache.set(server, { tagging, until });
  return tagging;
}

const keyOf = (server: ServerId) => ({ provider: "restante", server, kind: "tagging", id: "settings" }) as const;

async function readTagging({ store, clock }: Context, server: ServerId): Promise<Tagging | null> {
  const found = await store.providerObjects.getObject(keyOf(server), clock.now());
  return found === undefined ? null : (JSON.parse(found.json) as Tagging);
}

function parse(tagging: Tagging | null, now: number): ParsedTagging | null {
  if (tagging === null || (!tagging.plusAddresses && tagging.rules.length === 0)) return null;
  const { plusAddresses, rules } = tagging;
  return {
    plusAddresses,
    rules: rules.map(({ q, tags }) => ({ expression: parseQuery(q, { now }).expression, tags })),
  };
}

/** Returns the rules with their tags in stored form; throws a 400 that names every wrong member. */
function checkRules(context: Context, rules: readonly TagRule[]): readonly TagRule[] {
  if (rules.length > tagRuleCountMax) throw invalidField("rules", `Must have at most ${tagRuleCountMax} elements`);
  const errors = new FieldCollector();
  let termCount = 0;
  const checked = rules.map(({ q, tags }, index) => {
    errors.collectInside(`rules[${index}]`, () => {
      termCount += checkQuery(context, q);
    });
    return { q, tags: errors.collectInside(`rules[${index}]`, () => checkTags(tags)) ?? [] };
  });
  errors.finish();
  if (termCount > tagRuleTermCountMax) {
    throw invalidField("rules", "Too many terms in all rules; a word without an operator counts 4 to 12 times");
  }
  return checked;
}

/** Returns how many terms the query of a rule has. */
function checkQuery(context: Context, q: string): number {
  if (q.trim() === "") throw invalidField("q", "Give at least one term", "required");
  const { expression } = readQuery(context, q);
  if (hasTerm(expression, "received")) {
    throw invalidField("q", "Must not have after: or before:, which do not tell new messages apart");
  }
  return occurringTerms(expression).length;
}

function checkTags(tags: readonly string[]): readonly string[] {
  if (tags.length === 0 || tags.length > markTagCountMax) {
    throw invalidField("tags", `Must have 1 to ${markTagCountMax} elements`, "out_of_range");
  }
  return tags.map((text) => {
    const tag = readTag(text);
    if (tag !== undefined) return tag;
    const rule = `Each must have 1 to ${markTagLengthMax} characters, without commas and control characters`;
    throw invalidField("tags", rule);
  });
}

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
