/**
 * Actions with the account, identities and configuration sets. All identities are verified from their creation on, and mail may be
 * sent from any other address too; of configuration sets only the names are stored.
 */
import { createHash } from "node:crypto";
import type { EmailSession } from "../email.ts";
import { reads, sends, type AwsAction } from "../formats/aws-actions.ts";
import { constraintError, requiredObject, requiredText, textAt, textsAt } from "../formats/aws-members.ts";
import type { XmlObject } from "../formats/aws-xml.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { Collection } from "../kit/objects.ts";
import type { Rejection } from "../kit/rejection.ts";
import { rejection } from "./errors.ts";
import { pageOf } from "./templates.ts";
import type { SesActions, SesCall } from "./protocols.ts";

/** Quota as both versions of the API report it: of an account with production access. The service does not enforce it. */
const sendQuota = { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 0 } as const;

/** Identity, stored under its name. */
interface Identity {
  readonly type: "address" | "domain";
}

const nameLengthMax = 200;
const domain = /^(?=.{1,200}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i;

/** Returns the type of an identity by its name; throws `invalid`. */
function typeOf(name: string): Identity["type"] {
  if (name.length <= nameLengthMax && isEmailAddress(name)) return "address";
  if (domain.test(name)) return "domain";
  throw rejection("invalid", `Invalid email address or domain name <${name.slice(0, nameLengthMax)}>.`);
}

function identitiesOf(session: EmailSession): Collection<Identity> {
  return new Collection(session, "identity");
}

/** Returns the token of the TXT record that would verify a domain; the same for every call. */
function verificationToken(name: string): string {
  return createHash("sha256").update(name.toLowerCase()).digest("base64");
}

const dkimTokenCount = 3;
const dkimTokenLength = 32;

/** Returns the tokens of the DKIM records of a domain; the same for every call. */
function dkimTokens(name: string): readonly string[] {
  return Array.from({ length: dkimTokenCount }, (_, at) =>
    createHash("sha256")
      .update(`${String(at)} ${name.toLowerCase()}`)
      .digest("hex")
      .slice(0, dkimTokenLength),
  );
}

const setPattern = /^[\w-]{1,64}$/;
const shownLengthMax = 64;

function setsOf(session: EmailSession): Collection<object> {
  return new Collection(session, "configuration-set");
}

function unknownSet(name: string): Rejection {
  return rejection("configurationSetMissing", `Configuration set <${name}> does not exist.`, {
    ConfigurationSetName: name,
  });
}

/** Most identities of a request for attributes. */
const attributeCountMax = 100;

const configurationSetActions: SesActions = {
  CreateConfigurationSet: sends(async ({ request, session, isRest }) => {
    const name = isRest
      ? requiredText(request, "ConfigurationSetName", "")
      : requiredText(requiredObject(request, "ConfigurationSet", ""), "Name", "configurationSet");
    if (!setPattern.test(name)) {
      throw rejection("invalid", `Invalid configuration set name <${name.slice(0, shownLengthMax)}>.`);
    }
    if (await setsOf(session).create(name, {})) return {};
    throw rejection("configurationSetExists", `Configuration set <${name}> already exists.`);
  }),
  DescribeConfigurationSet: reads(async ({ request, session, isRest }) => {
    const name = requiredText(request, "ConfigurationSetName", "");
    if ((await setsOf(session).get(name)) === undefined) throw unknownSet(name);
    if (!isRest) return { ConfigurationSet: { Name: name } };
    return { ConfigurationSetName: name, SendingOptions: { SendingEnabled: true }, Tags: [] };
  }),
  DeleteConfigurationSet: sends(async ({ request, session }) => {
    const name = requiredText(request, "ConfigurationSetName", "");
    if (await setsOf(session).remove(name)) return {};
    throw unknownSet(name);
  }),
  ListConfigurationSets: reads(async (call) => {
    const { objects, NextToken } = await pageOf(call, setsOf(call.session));
    return { ConfigurationSets: objects.map(({ id }) => (call.isRest ? id : { Name: id })), NextToken };
  }),
};

/** Returns an action that stores an identity; it returns what `respond` returns. */
function verify(member: string, respond: (name: string) => XmlObject | null): AwsAction<SesCall> {
  return sends(async ({ request, session }) => {
    const name = requiredText(request, member, "");
    await identitiesOf(session).create(name, { type: typeOf(name) });
    return respond(name);
  });
}

function remove(member: string, result: XmlObject | null): AwsAction<SesCall> {
  return sends(async ({ request, session }) => {
    // As in Amazon SES, also succeeds without such an identity.
    await identitiesOf(session).remove(requiredText(request, member, ""));
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
    const { objects, NextToken } = await pageOf(call, identitiesOf(call.session));
    const shown = objects.filter(({ value }) => type === null || (value.type === "domain") === (type === "Domain"));
    return { Identities: shown.map(({ id }) => id), NextToken };
  }),
  ListVerifiedEmailAddresses: reads(async ({ session }) => {
    const addresses = (await identitiesOf(session).page(0)).filter(({ value }) => value.type === "address");
    return { VerifiedEmailAddresses: addresses.map(({ id }) => id) };
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
  const found = await Promise.all([...new Set(names)].map(async (name) => identitiesOf(session).get(name)));
  const stored = found.filter((identity) => identity !== undefined);
  return new Map(stored.map(({ id, value }) => [id, attributes(id, value.type === "domain")]));
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
    const name = requiredText(request, "EmailIdentity", "");
    const identity = { type: typeOf(name) };
    if (!(await identitiesOf(session).create(name, identity))) {
      throw rejection("alreadyExists", `Email identity ${name} already exist.`);
    }
    const { IdentityType, VerifiedForSendingStatus, DkimAttributes } = identityJson(name, identity);
    return { IdentityType, VerifiedForSendingStatus, DkimAttributes };
  }),
  GetEmailIdentity: reads(async ({ request, session }) => {
    const name = requiredText(request, "EmailIdentity", "");
    return identityJson(name, await identitiesOf(session).open(name, () => unknownIdentity(name)));
  }),
  ListEmailIdentities: reads(async (call) => {
    const { objects, NextToken } = await pageOf(call, identitiesOf(call.session));
    const identities = objects.map(({ id, value }) => ({
      IdentityName: id,
      IdentityType: shownType(value),
      SendingEnabled: true,
      VerificationStatus: "SUCCESS",
    }));
    return { EmailIdentities: identities, NextToken };
  }),
  DeleteEmailIdentity: sends(async ({ request, session }) => {
    const name = requiredText(request, "EmailIdentity", "");
    if (!(await identitiesOf(session).remove(name))) throw unknownIdentity(name);
    return {};
  }),
};

function unknownIdentity(name: string): Rejection {
  return rejection("notFound", `Email identity ${name} does not exist.`);
}

function shownType({ type }: Identity): "EMAIL_ADDRESS" | "DOMAIN" {
  return type === "address" ? "EMAIL_ADDRESS" : "DOMAIN";
}

function identityJson(name: string, identity: Identity) {
  const isDomain = identity.type === "domain";
  return {
    IdentityType: shownType(identity),
    FeedbackForwardingStatus: true,
    VerifiedForSendingStatus: true,
    VerificationStatus: "SUCCESS",
    DkimAttributes: {
      SigningEnabled: isDomain,
      Status: isDomain ? "SUCCESS" : "NOT_STARTED",
      SigningAttributesOrigin: "AWS_SES",
      ...(isDomain && { Tokens: dkimTokens(name) }),
    },
    Policies: {},
    Tags: [],
  };
}
