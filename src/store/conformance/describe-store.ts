import { describe } from "vitest";
import { describeAccount } from "./account.ts";
import { describeAllowance } from "./allowance.ts";
import { describeAnnotations } from "./annotations.ts";
import { describeAudit } from "./audit.ts";
import { describeCallbackDeliveries } from "./callback-deliveries.ts";
import { describeCallbackFailures } from "./callback-failures.ts";
import { describeCallbackMessages } from "./callback-messages.ts";
import { describeCallbackModel } from "./callback-model.ts";
import { describeCallbackReports } from "./callback-reports.ts";
import { describeCallbackTargets } from "./callback-targets.ts";
import { describeChanges, describeJournalLength } from "./changes.ts";
import { describeConcurrency } from "./concurrency.ts";
import { describeContent } from "./content.ts";
import { describeExpressions } from "./expressions.ts";
import { describeFaults } from "./faults.ts";
import { describeHeldMessages } from "./held-messages.ts";
import { describeKeys } from "./keys.ts";
import { describeLargeServers } from "./large-servers.ts";
import { describeLifecycle } from "./lifecycle.ts";
import { describeLists } from "./lists.ts";
import { describeMarks } from "./marks.ts";
import { describeMessages } from "./messages.ts";
import { describeModel } from "./model.ts";
import { describeMoving } from "./moving.ts";
import { describeOutbox } from "./outbox.ts";
import { describePeople } from "./people.ts";
import { describePermissions } from "./permissions.ts";
import { describeProviderObjects } from "./provider-objects.ts";
import { describeScheduledMessages } from "./scheduled-messages.ts";
import { describeQuotas } from "./quotas.ts";
import { describeQuarantine } from "./quarantine.ts";
import { describeReparses } from "./reparses.ts";
import { describeSearchFields } from "./search-fields.ts";
import { describeRetention } from "./retention.ts";
import { describeScans } from "./scans.ts";
import { describeSearch } from "./search.ts";
import { describeSearchText } from "./search-text.ts";
import { describeServerLists } from "./server-lists.ts";
import { describeServers } from "./servers.ts";
import { describeTeamLimits, describeUsage } from "./team-limits.ts";
import type { OpenStore } from "./setup.ts";
import { describeSignIns } from "./sign-ins.ts";

/** Part of the contract. */
export type StorePart =
  | "servers"
  | "lists of servers"
  | "keys"
  | "account"
  | "messages"
  | "content of messages"
  | "annotations"
  | "marks"
  | "lists"
  | "search"
  | "search in any script"
  | "searches by expressions"
  | "changes"
  | "length of the journal"
  | "outbox"
  | "hourly allowance"
  | "permissions"
  | "sign-ins"
  | "people"
  | "audit log"
  | "reparses"
  | "quarantine"
  | "search fields"
  | "objects of providers"
  | "scheduled mails"
  | "held messages"
  | "callback targets"
  | "callback deliveries"
  | "callbacks of messages"
  | "reports of delivered messages"
  | "targets that fail for days"
  | "callbacks compared with a model"
  | "fault rules"
  | "link scanners"
  | "retention"
  | "storage quotas"
  | "limits of teams"
  | "usage"
  | "reads of whole messages"
  | "large servers"
  | "concurrency"
  | "lifecycle"
  | "comparison with a model";

/** Part of the suite. `hasTexts`: whether an index of searchable texts could make a difference to it. */
interface Part {
  readonly describePart: (open: OpenStore) => void;
  readonly hasTexts: boolean;
}

/** In the order in which they run. */
const parts: Readonly<Record<StorePart, Part>> = {
  servers: { describePart: describeServers, hasTexts: false },
  "lists of servers": { describePart: describeServerLists, hasTexts: false },
  keys: { describePart: describeKeys, hasTexts: false },
  account: { describePart: describeAccount, hasTexts: false },
  messages: { describePart: describeMessages, hasTexts: true },
  "content of messages": { describePart: describeContent, hasTexts: false },
  annotations: { describePart: describeAnnotations, hasTexts: false },
  marks: { describePart: describeMarks, hasTexts: false },
  lists: { describePart: describeLists, hasTexts: true },
  search: { describePart: describeSearch, hasTexts: true },
  "search in any script": { describePart: describeSearchText, hasTexts: true },
  "searches by expressions": { describePart: describeExpressions, hasTexts: true },
  changes: { describePart: describeChanges, hasTexts: true },
  "length of the journal": { describePart: describeJournalLength, hasTexts: false },
  outbox: { describePart: describeOutbox, hasTexts: false },
  "hourly allowance": { describePart: describeAllowance, hasTexts: false },
  permissions: { describePart: describePermissions, hasTexts: false },
  "sign-ins": { describePart: describeSignIns, hasTexts: false },
  people: { describePart: describePeople, hasTexts: false },
  "audit log": { describePart: describeAudit, hasTexts: false },
  "objects of providers": { describePart: describeProviderObjects, hasTexts: false },
  "scheduled mails": { describePart: describeScheduledMessages, hasTexts: false },
  "held messages": { describePart: describeHeldMessages, hasTexts: false },
  "callback targets": { describePart: describeCallbackTargets, hasTexts: false },
  "callback deliveries": { describePart: describeCallbackDeliveries, hasTexts: false },
  "callbacks of messages": { describePart: describeCallbackMessages, hasTexts: false },
  "reports of delivered messages": { describePart: describeCallbackReports, hasTexts: false },
  "targets that fail for days": { describePart: describeCallbackFailures, hasTexts: false },
  "callbacks compared with a model": { describePart: describeCallbackModel, hasTexts: false },
  "fault rules": { describePart: describeFaults, hasTexts: false },
  "link scanners": { describePart: describeScans, hasTexts: false },
  quarantine: { describePart: describeQuarantine, hasTexts: false },
  reparses: { describePart: describeReparses, hasTexts: true },
  "search fields": { describePart: describeSearchFields, hasTexts: false },
  retention: { describePart: describeRetention, hasTexts: true },
  "storage quotas": { describePart: describeQuotas, hasTexts: false },
  "limits of teams": { describePart: describeTeamLimits, hasTexts: false },
  usage: { describePart: describeUsage, hasTexts: false },
  "reads of whole messages": { describePart: describeMoving, hasTexts: false },
  "large servers": { describePart: describeLargeServers, hasTexts: true },
  concurrency: { describePart: describeConcurrency, hasTexts: true },
  lifecycle: { describePart: describeLifecycle, hasTexts: true },
  "comparison with a model": { describePart: describeModel, hasTexts: true },
};

const everyPart = Object.keys(parts) as readonly StorePart[];

/** Parts that a store repeats with an index of texts. */
export const partsWithTexts: readonly StorePart[] = everyPart.filter((part) => parts[part].hasTexts);

/**
 * Holds a store to every sentence of the contract, or to some parts of it. `open` is called several times and returns an
 * empty store each time.
 */
export function describeStore(name: string, open: OpenStore, chosen: readonly StorePart[] = everyPart): void {
  describe(`the ${name} store`, () => {
    describe.each(chosen)("%s", (part) => {
      parts[part].describePart(open);
    });
  });
}
