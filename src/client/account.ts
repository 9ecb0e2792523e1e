/** Parts of the client that concern the account and the service. */
import type { Methods } from "./generated/methods.ts";
import type {
  AuditEntry,
  ListAuditQuery,
  OneTimePassword,
  RetryQuarantineRequest,
  VerifiedAddress,
} from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import { itemsFrom } from "./page.ts";
import { Resource } from "./resource.ts";

/** API keys: with an account key all, with the key of a user its own and those of the teams that it manages. */
export class Keys extends Resource {
  /** Lists the keys, oldest first. */
  readonly list: Methods["listKeys"] = this.method("listKeys");
  /** Creates a key of the account or of one server. Its secret is shown once. */
  readonly create: Methods["createKey"] = this.method("createKey");
  /** Replaces the secret of a key; the current one stays valid for a grace period. */
  readonly rotate: Methods["rotateKey"] = this.method("rotateKey");
  /** Revokes a key. */
  readonly revoke: Methods["revokeKey"] = this.method("revokeKey");
}

/** Users. Changes require an account key or an owner of the account. */
export class Users extends Resource {
  /** Lists the users, by e-mail address. */
  readonly list: Methods["listUsers"] = this.method("listUsers");
  /** Adds a user, who has access once it is a member of a team. */
  readonly create: Methods["createUser"] = this.method("createUser");
  /** Fetches a user. */
  readonly get: Methods["getUser"] = this.method("getUser");
  /** Changes a user; absent fields stay. */
  readonly update: Methods["updateUser"] = this.method("updateUser");
  /** Removes a user with its memberships, keys and sessions. */
  readonly delete: Methods["deleteUser"] = this.method("deleteUser");
  /** Lists the memberships of a user. */
  readonly teams: Methods["listTeamsOfUser"] = this.method("listTeamsOfUser");
}

/** Teams and their members. Changes require an account key or an owner of the account; those of members also a manager. */
export class Teams extends Resource {
  /** Lists the teams, by name. */
  readonly list: Methods["listTeams"] = this.method("listTeams");
  /** Adds a team. */
  readonly create: Methods["createTeam"] = this.method("createTeam");
  /** Fetches a team. */
  readonly get: Methods["getTeam"] = this.method("getTeam");
  /** Changes a team; absent fields stay. */
  readonly update: Methods["updateTeam"] = this.method("updateTeam");
  /** Removes a team with its keys; its servers then belong to no team. */
  readonly delete: Methods["deleteTeam"] = this.method("deleteTeam");
  /** Lists the members of a team. */
  readonly members: Methods["listMembers"] = this.method("listMembers");
  /** Puts a user into a team, or changes its role there. */
  readonly putMember: Methods["putMember"] = this.method("putMember");
  /** Removes a user from a team. */
  readonly removeMember: Methods["removeMember"] = this.method("removeMember");
  /** Fetches the limits of a team and what counts against them. */
  readonly limits: Methods["getTeamLimits"] = this.method("getTeamLimits");
  /** Changes the limits of a team; absent ones stay, null removes one. */
  readonly updateLimits: Methods["updateTeamLimits"] = this.method("updateTeamLimits");
}

/** Addresses that mail may be sent to. All methods require an account key. */
export class VerifiedAddresses extends Resource {
  /** Lists the verified and pending addresses. */
  readonly list: Methods["listVerifiedAddresses"] = this.method("listVerifiedAddresses");
  /** Adds an address and sends its owner a verification mail. */
  readonly add: Methods["addVerifiedAddress"] = this.method("addVerifiedAddress");
  /** Removes an address. */
  readonly remove: Methods["removeVerifiedAddress"] = this.method("removeVerifiedAddress");

  /** Verifies an address by the token of that mail. */
  async verify(id: string, token: string, options?: RequestOptions): Promise<VerifiedAddress> {
    return this.transport.call("verifyAddress", { path: { id }, body: { token } }, options);
  }
}

/** Audit log. Requires an account key. */
export class Audit extends Resource {
  /** Fetches a page of the audit log, newest first. */
  readonly list: Methods["listAudit"] = this.method("listAudit");

  /** Iterates over the audit log, newest first. Fetches page after page. */
  all(options: RequestOptions & ListAuditQuery = {}): AsyncGenerator<AuditEntry, void, undefined> {
    return itemsFrom(this.list(options));
  }
}

/** Virtual authenticators, for sign-in with one-time passwords (TOTP). */
export class Devices extends Resource {
  /** Lists the devices, oldest first. */
  readonly list: Methods["listDevices"] = this.method("listDevices");
  /** Creates a device from its shared secret. */
  readonly create: Methods["createDevice"] = this.method("createDevice");
  /** Computes the current one-time password of a device. */
  readonly code: Methods["getDevicePassword"] = this.method("getDevicePassword");
  /** Deletes a device and its secret. */
  readonly delete: Methods["deleteDevice"] = this.method("deleteDevice");

  /** Computes the one-time password of a secret, without storing it. */
  async codeOfSecret(sharedSecret: string, options?: RequestOptions): Promise<OneTimePassword> {
    return this.transport.call("computePassword", { body: { sharedSecret } }, options);
  }
}

/** SMS, phone numbers, and the phrases that replies consist of. SMS of an application are messages like mail. */
export class Sms extends Resource {
  /** Stores an SMS in the server of its number, as a phone would receive it. */
  readonly receive: Methods["receiveSms"] = this.method("receiveSms");
  /** Lists the phone numbers of all servers. */
  readonly numbers: Methods["listPhoneNumbers"] = this.method("listPhoneNumbers");
  /** Adds a phone number to a server. */
  readonly addNumber: Methods["addPhoneNumber"] = this.method("addPhoneNumber");
  /** Changes a phone number, named in international form or by its id. */
  readonly updateNumber: Methods["updatePhoneNumber"] = this.method("updatePhoneNumber");
  /** Removes a phone number. */
  readonly removeNumber: Methods["removePhoneNumber"] = this.method("removePhoneNumber");
  /** Lists the phrases that replies may consist of. */
  readonly approvedPhrases: Methods["getApprovedPhrases"] = this.method("getApprovedPhrases");
  /** Replaces the phrases that replies may consist of. */
  readonly setApprovedPhrases: Methods["setApprovedPhrases"] = this.method("setApprovedPhrases");
}

/** State of the service. */
export class Service extends Resource {
  /** Fetches the state of every background task. */
  readonly status: Methods["getStatus"] = this.method("getStatus");
  /** Fetches the work that is not attempted again because it ended the process or worker twice. */
  readonly quarantine: Methods["listQuarantine"] = this.method("listQuarantine");
  /** Fetches the health of the process; throws when it does not run. */
  readonly health: Methods["getHealth"] = this.method("getHealth");
  /** Fetches the readiness: `ready`, or `degraded` with the tasks that fail. Throws an `UnavailableError` when not ready. */
  readonly readiness: Methods["getReadiness"] = this.method("getReadiness");
  /** Fetches the metrics in the Prometheus text format. */
  readonly metrics: Methods["getMetrics"] = this.method("getMetrics");
  /** Fetches the limits of the account and their present use. */
  readonly usageLimits: Methods["getUsageLimits"] = this.method("getUsageLimits");
  /** Fetches the number of messages stored on each of the last 31 days, today first. */
  readonly usageTransactions: Methods["listTransactions"] = this.method("listTransactions");
  /** Fetches the usage of each team in a month. */
  readonly teamUsage: Methods["listTeamUsage"] = this.method("listTeamUsage");
  /** Fetches the usage of each team in a month as CSV. */
  readonly teamUsageCsv: Methods["downloadTeamUsage"] = this.method("downloadTeamUsage");
  /** Fetches the usage of each server in a month, with its owners and its last traffic. */
  readonly serverUsage: Methods["listServerUsage"] = this.method("listServerUsage");
  /** Fetches the usage of each server in a month as CSV. */
  readonly serverUsageCsv: Methods["downloadServerUsage"] = this.method("downloadServerUsage");
  /** Fetches the OpenAPI document that the types of this client are made from. */
  readonly openApiDocument: Methods["getOpenApiDocument"] = this.method("getOpenApiDocument");

  /** Attempts quarantined work again, all by default; returns the number of pieces. */
  async retryQuarantine(request: RetryQuarantineRequest = {}, options?: RequestOptions): Promise<number> {
    const { replayed } = await this.transport.call("retryQuarantine", { body: request }, options);
    return replayed;
  }
}
