/** Actions with the account, identities and configuration sets. */
import { reads, sends, type AwsAction } from "../formats/aws-actions.ts";
import { constraintError, requiredObject, requiredText, textAt, textsAt } from "../formats/aws-members.ts";
import type { XmlObject } from "../formats/aws-xml.ts";
import type { Rejection } from "../kit/rejection.ts";
import {
  checkConfigurationSet,
  createConfigurationSet,
  createIdentity,
  deleteConfigurationSet,
  deleteIdentity,
  dkimTokens,
  findIdentity,
  identityOf,
  listConfigurationSets,
  listIdentities,
  sendQuota,
  verificationToken,
  type Identity,
} from "./account.ts";
import type { SesActions, SesCall } from "./protocols.ts";
import { rejection } from "./errors.ts";
import { pageOf, pageSizeMax } from "./pages.ts";

/** Most identities of a request for attributes. */
const attributeCountMax = 100;

const configurationSetActions: SesActions = {
  CreateConfigurationSet: sends(async ({ request, session, isRest }) => {
    const name = isRest
      ? requiredText(request, "ConfigurationSetName", "")
      : requiredText(requiredObject(request, "ConfigurationSet", ""), "Name", "configurationSet");
    await createConfigurationSet(session, name);
    return {};
  }),
  DescribeConfigurationSet: reads(async ({ request, session, isRest }) => {
    const name = requiredText(request, "ConfigurationSetName", "");
    await checkConfigurationSet(session, name);
    if (!isRest) return { ConfigurationSet: { Name: name } };
    return { ConfigurationSetName: name, SendingOptions: { SendingEnabled: true }, Tags: [] };
  }),
  DeleteConfigurationSet: sends(async ({ request, session }) => {
    await deleteConfigurationSet(session, requiredText(request, "ConfigurationSetName", ""));
    return {};
  }),
  ListConfigurationSets: reads(async (call) => {
    const list = async (offset: number): Promise<readonly string[]> => listConfigurationSets(call.session, offset);
    const { values, NextToken } = await pageOf(call, pageSizeMax, list);
    const sets = call.isRest ? values : values.map((name) => ({ Name: name }));
    return { ConfigurationSets: sets, NextToken };
  }),
};

async function identityPage(call: SesCall): ReturnType<typeof pageOf<Identity>> {
  return pageOf(call, pageSizeMax, async (offset) => listIdentities(call.session, offset));
}

/** Returns an action that stores an identity; it returns what `respond` returns. */
function verify(member: string, respond: (name: string) => XmlObject | null): AwsAction<SesCall> {
  return sends(async ({ request, session }) => {
    const identity = identityOf(requiredText(request, member, ""));
    await createIdentity(session, identity);
    return respond(identity.name);
  });
}

function remove(member: string, result: XmlObject | null): AwsAction<SesCall> {
  return sends(async ({ request, session }) => {
    // As in Amazon SES, also succeeds without such an identity.
    await deleteIdentity(session, requiredText(request, member, ""));
    return result;
  });
}

/** Actions of version 1. */
export const queryAccountActions: SesActions = {
  ...configurationSetActions,
  GetSendQuota: reads(async () =>
    Object.fromEntries(Object.entries(sendQuota).map(([name, value]) => [name, value.toFixed(1)])),
  ),
  GetSendStatistics: reads(async () => ({ SendDataPoints: [] })),
  GetAccountSendingEnabled: reads(async () => ({ Enabled: "true" })),
  VerifyEmailIdentity: verify("EmailAddress", () => ({})),
  VerifyEmailAddress: verify("EmailAddress", () => null),
  VerifyDomainIdentity: verify("Domain", (name) => ({ VerificationToken: verificationToken(name) })),
  VerifyDomainDkim: verify("Domain", (name) => ({ DkimTokens: dkimTokens(name) })),
  DeleteIdentity: remove("Identity", {}),
  DeleteVerifiedEmailAddress: remove("EmailAddress", null),
  ListIdentities: reads(async (call) => {
    const type = textAt(call.request, "IdentityType") || null;
    if (type !== null && type !== "EmailAddress" && type !== "Domain") {
      throw constraintError("identityType", "Member must satisfy enum value set: [Domain, EmailAddress]");
    }
    const { values, NextToken } = await identityPage(call);
    const shown = values.filter((one) => type === null || (one.type === "domain") === (type === "Domain"));
    return { Identities: shown.map(({ name }) => name), NextToken };
  }),
  ListVerifiedEmailAddresses: reads(async ({ session }) => {
    const addresses = (await listIdentities(session, 0)).filter(({ type }) => type === "address");
    return { VerifiedEmailAddresses: addresses.map(({ name }) => name) };
  }),
  GetIdentityVerificationAttributes: reads(async (call) => {
    const attributes = await attributesOf(call, (name, isDomain) => ({
      VerificationStatus: "Success",
      VerificationToken: isDomain ? verificationToken(name) : null,
    }));
    return { VerificationAttributes: attributes };
  }),
  GetIdentityDkimAttributes: reads(async (call) => {
    const attributes = await attributesOf(call, (name, isDomain) => ({
      DkimEnabled: String(isDomain),
      DkimVerificationStatus: isDomain ? "Success" : "NotStarted",
      DkimTokens: isDomain ? dkimTokens(name) : null,
    }));
    return { DkimAttributes: attributes };
  }),
};

/** Returns the attributes of each identity of the request that is stored. */
async function attributesOf(
  { request, session }: SesCall,
  attributes: (name: string, isDomain: boolean) => XmlObject,
): Promise<ReadonlyMap<string, XmlObject>> {
  const names = textsAt(request, "Identities");
  if (names.length > attributeCountMax) {
    throw constraintError("identities", `Member must have length less than or equal to ${String(attributeCountMax)}`);
  }
  const found = await Promise.all([...new Set(names)].map(async (name) => findIdentity(session, name)));
  const stored = found.filter((identity) => identity !== undefined);
  return new Map(stored.map(({ name, type }) => [name, attributes(name, type === "domain")]));
}

/** Actions of version 2. */
export const restAccountActions: SesActions = {
  ...configurationSetActions,
  GetAccount: reads(async () => ({
    DedicatedIpAutoWarmupEnabled: false,
    EnforcementStatus: "HEALTHY",
    ProductionAccessEnabled: true,
    SendQuota: sendQuota,
    SendingEnabled: true,
    SuppressionAttributes: { SuppressedReasons: [] },
  })),
  CreateEmailIdentity: sends(async ({ request, session }) => {
    const identity = identityOf(requiredText(request, "EmailIdentity", ""));
    if (!(await createIdentity(session, identity))) {
      throw rejection("alreadyExists", `Email identity ${identity.name} already exist.`);
    }
    const { IdentityType, VerifiedForSendingStatus, DkimAttributes } = identityJson(identity);
    return { IdentityType, VerifiedForSendingStatus, DkimAttributes };
  }),
  GetEmailIdentity: reads(async ({ request, session }) => {
    const name = requiredText(request, "EmailIdentity", "");
    const identity = await findIdentity(session, name);
    if (identity === undefined) throw unknownIdentity(name);
    return identityJson(identity);
  }),
  ListEmailIdentities: reads(async (call) => {
    const { values, NextToken } = await identityPage(call);
    const identities = values.map((identity) => ({
      IdentityName: identity.name,
      IdentityType: typeOf(identity),
      SendingEnabled: true,
      VerificationStatus: "SUCCESS",
    }));
    return { EmailIdentities: identities, NextToken };
  }),
  DeleteEmailIdentity: sends(async ({ request, session }) => {
    const name = requiredText(request, "EmailIdentity", "");
    if (!(await deleteIdentity(session, name))) throw unknownIdentity(name);
    return {};
  }),
};

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
