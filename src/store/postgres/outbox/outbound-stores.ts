import type { OutboxStore } from "../../outbox-store.ts";
import type { IdempotencyStore, VerifiedAddressStore } from "../../permission-stores.ts";
import type { QuarantineStore } from "../../quarantine-store.ts";
import type { Database } from "../connection/database.ts";
import { createOutbox } from "./outbox.ts";
import { createQuarantineStore } from "../queues/postgres-queues.ts";
import { Idempotency } from "./idempotency.ts";
import { VerifiedAddresses } from "./verified-addresses.ts";

/** Parts of the store that concern outbound messages, and the quarantine of all queues. */
export interface OutboundStores {
  readonly outbox: OutboxStore;
  readonly verifiedAddresses: VerifiedAddressStore;
  readonly idempotency: IdempotencyStore;
  readonly quarantine: QuarantineStore;
}

/** Creates the parts of the store that concern outbound messages. */
export function createOutboundStores(database: Database): OutboundStores {
  return {
    outbox: createOutbox(database),
    verifiedAddresses: new VerifiedAddresses(database),
    idempotency: new Idempotency(database),
    quarantine: createQuarantineStore(database),
  };
}
