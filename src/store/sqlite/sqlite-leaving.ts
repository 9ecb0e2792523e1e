import type { WriterCalls } from "./threads/calls.ts";
import { createLeavingStores, type LeavingStores } from "./outbox/outbound.ts";
import { SqliteAccount } from "./sqlite-account.ts";
import type { Thread } from "./threads/thread.ts";

/** The parts of the store that concern what leaves, beside those of the account. */
export abstract class SqliteLeaving extends SqliteAccount implements LeavingStores {
  readonly outbox: LeavingStores["outbox"];
  readonly verifiedAddresses: LeavingStores["verifiedAddresses"];
  readonly repeatables: LeavingStores["repeatables"];
  readonly phoneNumbers: LeavingStores["phoneNumbers"];
  readonly phrases: LeavingStores["phrases"];

  constructor(writer: Thread<WriterCalls>) {
    super(writer);
    const stores = createLeavingStores(writer, (body) => this.read(({ leaving }) => body(leaving)));
    this.outbox = stores.outbox;
    this.verifiedAddresses = stores.verifiedAddresses;
    this.repeatables = stores.repeatables;
    this.phoneNumbers = stores.phoneNumbers;
    this.phrases = stores.phrases;
  }
}
