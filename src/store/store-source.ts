import type { CallbackStore } from "./callback-store.ts";
import type { KeyStore } from "./key-store.ts";
import type { OutboxStore } from "./outbox-store.ts";
import type { PeopleStore, TeamLimitStore } from "./people-store.ts";
import type { PhoneNumberStore, PhraseStore, VerifiedAddressStore } from "./permission-stores.ts";
import type { ProviderObjectStore } from "./provider-object-store.ts";
import type { ScannerStore } from "./scanner-store.ts";
import type { AccountStore } from "./account-store.ts";
import type { ServerStore } from "./server-store.ts";
import type { MessageStore } from "./store.ts";

/** Methods of a store that an export reads. */
export interface StoreSource
  extends
    Pick<ServerStore, "listServers" | "getServerPassword">,
    Pick<KeyStore, "listKeys">,
    Pick<MessageStore, "readMessages">,
    Pick<AccountStore, "listDevices" | "listTeamUsage" | "getZone"> {
  readonly outbox: Pick<OutboxStore, "getDelivery">;
  readonly callbacks: Pick<CallbackStore, "getMessageDelivery">;
  readonly verifiedAddresses: Pick<VerifiedAddressStore, "listVerifiedAddresses">;
  readonly people: Pick<PeopleStore, "listUsers" | "listTeams" | "listMemberships">;
  readonly teamLimits: Pick<TeamLimitStore, "listTeamLimits">;
  readonly phoneNumbers: Pick<PhoneNumberStore, "listPhoneNumbers">;
  readonly phrases: Pick<PhraseStore, "getPhrases">;
  readonly providerObjects: Pick<ProviderObjectStore, "walkObjects">;
  readonly scanners: Pick<ScannerStore, "findScanner">;
  close(): Promise<void>;
}
