/** Version 2: the account, identities and configuration sets. */
import type { Handler } from "../kit/endpoints.ts";
import type { Rejection } from "../kit/rejection.ts";
import { restHandler, type RestCall } from "./call.ts";
import {
  checkConfigurationSet,
  createConfigurationSet as createSet,
  deleteConfigurationSet as deleteSet,
  listConfigurationSets as listSets,
  createIdentity as create,
  deleteIdentity as remove,
  dkimTokens,
  findIdentity,
  identityOf,
  listIdentities as list,
  type Identity,
  sendQuota,
} from "./account.ts";
import { rejection } from "./errors.ts";
import { requiredText, textAt } from "../formats/aws-members.ts";
import { pageOf, pageSizeMax, queryPage, type PageRequest } from "./pages.ts";

/** Returns the account: `GET /v2/email/account`. */
export const getAccount: Handler = restHandler(async () => ({
  DedicatedIpAutoWarmupEnabled: false,
  EnforcementStatus: "HEALTHY",
  ProductionAccessEnabled: true,
  SendQuota: sendQuota,
  SendingEnabled: true,
  SuppressionAttributes: { SuppressedReasons: [] },
}));

/** Stores an identity: `POST /v2/email/identities`. */
export const createIdentity: Handler = restHandler(async (call) => {
  const identity = identityOf(requiredText(call.body(), "EmailIdentity", ""));
  if (await create(call.session, identity)) {
    const { IdentityType, VerifiedForSendingStatus, DkimAttributes } = identityJson(identity);
    return { IdentityType, VerifiedForSendingStatus, DkimAttributes };
  }
  throw rejection("alreadyExists", `Email identity ${identity.name} already exist.`);
});

/** Returns an identity: `GET /v2/email/identities/:identity`. */
export const getIdentity: Handler = restHandler(async (call) => {
  const identity = await findIdentity(call.session, call.param("identity"));
  if (identity === undefined) throw unknownIdentity(call.param("identity"));
  return identityJson(identity);
});

/** Lists identities: `GET /v2/email/identities`, `POST /v2/email/list-identities` in newer SDKs. */
export const listIdentities: Handler = restHandler(async (call) => {
  const { values, nextToken } = await pageOf(requestedPage(call), async (offset) => list(call.session, offset));
  return {
    EmailIdentities: values.map((identity) => ({
      IdentityName: identity.name,
      IdentityType: typeOf(identity),
      SendingEnabled: true,
      VerificationStatus: "SUCCESS",
    })),
    NextToken: nextToken ?? undefined,
  };
});

/** Removes an identity: `DELETE /v2/email/identities/:identity`. */
export const deleteIdentity: Handler = restHandler(async (call) => {
  if (!(await remove(call.session, call.param("identity")))) throw unknownIdentity(call.param("identity"));
  return {};
});

function unknownIdentity(name: string): Rejection {
  return rejection("notFound", `Email identity ${name} does not exist.`);
}

function typeOf({ type }: Identity): "EMAIL_ADDRESS" | "DOMAIN" {
  return type === "address" ? "EMAIL_ADDRESS" : "DOMAIN";
}

function identityJson(identity: Identity) {
  const isDomain = identity.type === "domain";
  return {
    IdentityType: typeOf(identity),
    FeedbackForwardingStatus: true,
    VerifiedForSendingStatus: true,
    VerificationStatus: "SUCCESS",
    DkimAttributes: {
      SigningEnabled: isDomain,
      Status: isDomain ? "SUCCESS" : "NOT_STARTED",
      SigningAttributesOrigin: "AWS_SES",
      ...(isDomain && { Tokens: dkimTokens(identity.name) }),
    },
    Policies: {},
    Tags: [],
  };
}

/** Stores a configuration set: `POST /v2/email/configuration-sets`. */
export const createConfigurationSet: Handler = restHandler(async (call) => {
  await createSet(call.session, requiredText(call.body(), "ConfigurationSetName", ""));
  return {};
});

/** Returns a configuration set: `GET /v2/email/configuration-sets/:name`. */
export const getConfigurationSet: Handler = restHandler(async (call) => {
  await checkConfigurationSet(call.session, call.param("name"));
  return { ConfigurationSetName: call.param("name"), SendingOptions: { SendingEnabled: true }, Tags: [] };
});

/** Removes a configuration set: `DELETE /v2/email/configuration-sets/:name`. */
export const deleteConfigurationSet: Handler = restHandler(async (call) => {
  await deleteSet(call.session, call.param("name"));
  return {};
});

/**
 * Lists configuration sets: `GET /v2/email/configuration-sets`, `POST /v2/email/list-configuration-sets` in newer SDKs.
 */
export const listConfigurationSets: Handler = restHandler(async (call) => {
  const { values, nextToken } = await pageOf(requestedPage(call), async (offset) => listSets(call.session, offset));
  return { ConfigurationSets: values, NextToken: nextToken ?? undefined };
});

/** Returns the page that the query string or the JSON body asks for. Filters are ignored. */
function requestedPage(call: RestCall): PageRequest {
  if (call.request.method === "GET") return queryPage(call.request, pageSizeMax);
  const request = call.request.body.byteLength === 0 ? {} : call.body();
  const size = request["PageSize"] ?? null;
  if (size !== null && typeof size !== "number") throw rejection("malformed");
  return { token: textAt(request, "NextToken"), size, sizeMax: pageSizeMax };
}
