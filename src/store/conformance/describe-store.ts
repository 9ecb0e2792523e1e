import { describe } from "vitest";
import { describeAccount } from "./account.ts";
import { describeAllowance } from "./allowance.ts";
import { describeAudit } from "./audit.ts";
import { describeChanges } from "./changes.ts";
import { describeConcurrency } from "./concurrency.ts";
import { describeKeys } from "./keys.ts";
import { describeLifecycle } from "./lifecycle.ts";
import { describeLists } from "./lists.ts";
import { describeMessages } from "./messages.ts";
import { describeModel } from "./model.ts";
import { describeMoving } from "./moving.ts";
import { describeOutbox } from "./outbox.ts";
import { describePermissions } from "./permissions.ts";
import { describeQuotas } from "./quotas.ts";
import { describeRereads } from "./rereads.ts";
import { describeRetention } from "./retention.ts";
import { describeSearch } from "./search.ts";
import { describeSearchText } from "./search-text.ts";
import { describeServers } from "./servers.ts";
import type { OpenStore } from "./setup.ts";
import { describeSignIns } from "./sign-ins.ts";

/** Holds a store to every sentence of the contract. `open` is called several times and answers an empty store each. */
export function describeStore(name: string, open: OpenStore): void {
  describe(`the ${name} store`, () => {
    describe("servers", () => {
      describeServers(open);
    });
    describe("keys", () => {
      describeKeys(open);
    });
    describe("the account", () => {
      describeAccount(open);
    });
    describe("messages", () => {
      describeMessages(open);
    });
    describe("lists", () => {
      describeLists(open);
    });
    describe("search", () => {
      describeSearch(open);
    });
    describe("search in any script", () => {
      describeSearchText(open);
    });
    describe("changes", () => {
      describeChanges(open);
    });
    describe("the outbox", () => {
      describeOutbox(open);
    });
    describe("what an hour takes", () => {
      describeAllowance(open);
    });
    describe("permissions", () => {
      describePermissions(open);
    });
    describe("sign-ins", () => {
      describeSignIns(open);
    });
    describe("the audit log", () => {
      describeAudit(open);
    });
    describe("mails to be read again", () => {
      describeRereads(open);
    });
    describe("retention", () => {
      describeRetention(open);
    });
    describe("storage quotas", () => {
      describeQuotas(open);
    });
    describe("moving", () => {
      describeMoving(open);
    });
    describe("concurrency", () => {
      describeConcurrency(open);
    });
    describe("lifecycle", () => {
      describeLifecycle(open);
    });
    describe("against a model", () => {
      describeModel(open);
    });
  });
}
