import type { CallbackStore } from "./callback-store.ts";
import type { KeyStore } from "./key-store.ts";
import type { OutboxStore, DeliveryState } from "./outbox-store.ts";
import type { PeopleStore, TeamLimitStore } from "./people-store.ts";
import type { PhoneNumberStore, PhraseStore, VerifiedAddressStore } from "./permission-stores.ts";
import type { ProviderObjectStore } from "./provider-object-store.ts";
import type { ScannerStore } from "./scanner-store.ts";
import type { AccountStore } from "./account-store.ts";
import type { ServerStore } from "./server-store.ts";
import type { MessageStore } from "./store.ts";
import type { MessageId } from "../core/ids.ts";

/** Methods of a store that an export reads. */
export interface StoreSource
  extends
    DeliverySource,
    Pick<ServerStore, "listServers" | "getServerPassword">,
    Pick<KeyStore, "listKeys">,
    Pick<MessageStore, "readMessages">,
    Pick<AccountStore, "listDevices" | "listTeamUsage" | "getZone"> {
  readonly verifiedAddresses: Pick<VerifiedAddressStore, "listVerifiedAddresses">;
  readonly people: Pick<PeopleStore, "listUsers" | "listTeams" | "listMemberships">;
  readonly teamLimits: Pick<TeamLimitStore, "listTeamLimits">;
  readonly phoneNumbers: Pick<PhoneNumberStore, "listPhoneNumbers">;
  readonly phrases: Pick<PhraseStore, "getPhrases">;
  readonly providerObjects: Pick<ProviderObjectStore, "walkObjects">;
  readonly scanners: Pick<ScannerStore, "findScanner">;
  close(): Promise<void>;
}

/** Parts of a store that know deliveries of messages. */
export interface DeliverySource {
  readonly outbox: Pick<OutboxStore, "getDelivery">;
  readonly callbacks: Pick<CallbackStore, "getMessageDelivery">;
}

/** Returns the delivery state of a message, by callbacks or by the outbox; undefined when it has neither. */
export async function readDeliveryState(source: DeliverySource, id: MessageId): Promise<DeliveryState | undefined> {
  return (await source.callbacks.getMessageDelivery(id)) ?? (await source.outbox.getDelivery(id));
}
