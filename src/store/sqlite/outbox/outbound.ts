/** Everything about outbound messages, for the writer thread, for readers and for the store. */
import type { DatabaseSync } from "node:sqlite";
import type { OutboxStore } from "../../outbox-store.ts";
import type { IdempotencyStore, VerifiedAddressStore } from "../../permission-stores.ts";
import { DeliveryReads } from "../callbacks/delivery-reads.ts";
import { ReportReads } from "../callbacks/pending-reports.ts";
import { TargetReads } from "../callbacks/targets.ts";
import type { CallbackReads } from "../callbacks/callback-store.ts";
import type { Journal } from "../messages/changes.ts";
import { OutboxReads, OutboxWrites } from "./outbox.ts";
import { IdempotencyReads, IdempotencyWrites, type IdempotencyCalls } from "./idempotency.ts";
import type { Thread } from "../threads/thread.ts";
import { VerifiedAddressReads, VerifiedAddressWrites, type VerifiedAddressCalls } from "./verified-addresses.ts";

/** Calls of the writer thread about outbound messages. */
export interface OutboundCalls extends VerifiedAddressCalls, IdempotencyCalls {}

/** Returns the implementation of the calls, for use inside the writer's transaction. */
export function bindOutboundCalls(database: DatabaseSync, journal: Journal): OutboundCalls {
  const outbox = new OutboxWrites(database, journal);
  const addresses = new VerifiedAddressWrites(database, outbox);
  const idempotency = new IdempotencyWrites(database);
  return {
    addVerifiedAddress: (address, outbound) => {
      addresses.addVerifiedAddress(address, outbound);
    },
    verifyAddress: (id) => addresses.verifyAddress(id),
    removeVerifiedAddress: (id) => addresses.removeVerifiedAddress(id),
    deleteIdempotentRequests: (before) => idempotency.deleteIdempotentRequests(before),
  };
}

/** Queries about outbound messages. */
export class OutboundReads {
  readonly outbox: OutboxReads;
  readonly addresses: VerifiedAddressReads;
  readonly idempotency: IdempotencyReads;
  readonly callbacks: CallbackReads;

  constructor(database: DatabaseSync) {
    this.outbox = new OutboxReads(database);
    this.addresses = new VerifiedAddressReads(database);
    this.idempotency = new IdempotencyReads(database);
    this.callbacks = {
      targets: new TargetReads(database),
      deliveries: new DeliveryReads(database),
      reports: new ReportReads(database),
    };
  }
}

/** Stores of everything about outbound messages. */
export interface OutboundStores {
  readonly outbox: OutboxStore;
  readonly verifiedAddresses: VerifiedAddressStore;
  readonly idempotency: IdempotencyStore;
}

/** Runs a query on the connection of the calling thread. */
export type ReadOutbound = <Result>(body: (reads: OutboundReads) => Result) => Result;

/** Creates the stores over the writer thread and a connection to read from. */
export function createOutboundStores(
  writer: Thread<OutboundCalls>,
  read: ReadOutbound,
  queue: OutboxStore["queue"],
): OutboundStores {
  return {
    outbox: {
      queue,
      getDelivery: async (message) => read(({ outbox }) => outbox.delivery(message)),
    },
    verifiedAddresses: {
      addVerifiedAddress: async (address, outbound = {}) => writer.call("addVerifiedAddress", [address, outbound]),
      verifyAddress: async (id) => writer.call("verifyAddress", [id]),
      removeVerifiedAddress: async (id) => writer.call("removeVerifiedAddress", [id]),
      listVerifiedAddresses: async () => read(({ addresses }) => addresses.list()),
      getVerifiedAddress: async (id) => read(({ addresses }) => addresses.get(id)),
      findVerifiedAddress: async (address) => read(({ addresses }) => addresses.find(address)),
    },
    idempotency: {
      findIdempotentRequest: async (scope, key) => read(({ idempotency }) => idempotency.find(scope, key)),
      deleteIdempotentRequests: async (before) => writer.call("deleteIdempotentRequests", [before]),
    },
  };
}
