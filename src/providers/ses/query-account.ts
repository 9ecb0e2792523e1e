/** Version 1: the account, identities and configuration sets. */
import { reads, sends } from "../formats/aws-query.ts";
import { mapEntries, memberList, type XmlElement } from "../formats/aws-xml.ts";
import {
  checkConfigurationSet,
  createConfigurationSet,
  createIdentity,
  deleteIdentity,
  dkimTokens,
  findIdentity,
  identityOf,
  listIdentities,
  verificationToken,
  deleteConfigurationSet,
  listConfigurationSets,
  sendQuota,
} from "./account.ts";
import { constraintError, requiredObject, requiredText, textAt, textsAt } from "../formats/aws-members.ts";
import { pageOf, pageSizeMax } from "./pages.ts";
import type { QueryActions, QueryCall } from "./call.ts";
import { tokenElement } from "./query-templates.ts";

/** Most identities of a request for attributes. */
const attributeCountMax = 100;

const quotaActions: QueryActions = {
  GetSendQuota: reads(async () => Object.entries(sendQuota).map(([name, value]) => [name, value.toFixed(1)])),
  GetSendStatistics: reads(async () => [["SendDataPoints", []]]),
  GetAccountSendingEnabled: reads(async () => [["Enabled", "true"]]),
};

/** Returns an action that stores an identity; it returns what `respond` returns, null for no result element. */
function verify(member: string, respond: (name: string) => readonly XmlElement[] | null): QueryActions[string] {
  return sends(async ({ request, session }) => {
    const identity = identityOf(requiredText(request, member, ""));
    await createIdentity(session, identity);
    return respond(identity.name);
  });
}

function remove(member: string, result: readonly XmlElement[] | null): QueryActions[string] {
  return sends(async ({ request, session }) => {
    // As in Amazon SES, also succeeds without such an identity.
    await deleteIdentity(session, requiredText(request, member, ""));
    return result;
  });
}

const identityActions: QueryActions = {
  VerifyEmailIdentity: verify("EmailAddress", () => []),
  VerifyEmailAddress: verify("EmailAddress", () => null),
  VerifyDomainIdentity: verify("Domain", (name) => [["VerificationToken", verificationToken(name)]]),
  VerifyDomainDkim: verify("Domain", (name) => [["DkimTokens", memberList(dkimTokens(name))]]),
  DeleteIdentity: remove("Identity", []),
  DeleteVerifiedEmailAddress: remove("EmailAddress", null),
  ListIdentities: reads(async ({ request, session }) => {
    const type = textAt(request, "IdentityType") || null;
    if (type !== null && type !== "EmailAddress" && type !== "Domain") {
      throw constraintError("identityType", "Member must satisfy enum value set: [Domain, EmailAddress]");
    }
    const page = { token: textAt(request, "NextToken"), size: textAt(request, "MaxItems"), sizeMax: pageSizeMax };
    const { values, nextToken } = await pageOf(page, async (offset) => listIdentities(session, offset));
    const shown = values.filter((one) => type === null || (one.type === "domain") === (type === "Domain"));
    return [["Identities", memberList(shown.map(({ name }) => name))], ...tokenElement(nextToken)];
  }),
  ListVerifiedEmailAddresses: reads(async ({ session }) => {
    const addresses = (await listIdentities(session, 0)).filter(({ type }) => type === "address");
    return [["VerifiedEmailAddresses", memberList(addresses.map(({ name }) => name))]];
  }),
  GetIdentityVerificationAttributes: reads(async (call) => {
    const entries = await attributesOf(call, (name, isDomain) => [
      ["VerificationStatus", "Success"],
      ...(isDomain ? ([["VerificationToken", verificationToken(name)]] as const) : []),
    ]);
    return [["VerificationAttributes", entries]];
  }),
  GetIdentityDkimAttributes: reads(async (call) => {
    const entries = await attributesOf(call, (name, isDomain) => [
      ["DkimEnabled", String(isDomain)],
      ["DkimVerificationStatus", isDomain ? "Success" : "NotStarted"],
      ...(isDomain ? ([["DkimTokens", memberList(dkimTokens(name))]] as const) : []),
    ]);
    return [["DkimAttributes", entries]];
  }),
};

/** Returns a map entry for each identity of the request that is stored. */
async function attributesOf(
  { request, session }: QueryCall,
  attributes: (name: string, isDomain: boolean) => readonly XmlElement[],
): Promise<readonly XmlElement[]> {
  const names = textsAt(request, "Identities");
  if (names.length > attributeCountMax) {
    throw constraintError("identities", `Member must have length less than or equal to ${String(attributeCountMax)}`);
  }
  const found = await Promise.all([...new Set(names)].map(async (name) => findIdentity(session, name)));
  const stored = found.filter((identity) => identity !== undefined);
  return mapEntries(stored.map(({ name, type }) => [name, attributes(name, type === "domain")]));
}

const configurationSetActions: QueryActions = {
  CreateConfigurationSet: sends(async ({ request, session }) => {
    const set = requiredObject(request, "ConfigurationSet", "");
    await createConfigurationSet(session, requiredText(set, "Name", "configurationSet"));
    return [];
  }),
  DescribeConfigurationSet: reads(async ({ request, session }) => {
    const name = requiredText(request, "ConfigurationSetName", "");
    await checkConfigurationSet(session, name);
    return [["ConfigurationSet", [["Name", name]]]];
  }),
  DeleteConfigurationSet: sends(async ({ request, session }) => {
    await deleteConfigurationSet(session, requiredText(request, "ConfigurationSetName", ""));
    return [];
  }),
  ListConfigurationSets: reads(async ({ request, session }) => {
    const page = { token: textAt(request, "NextToken"), size: textAt(request, "MaxItems"), sizeMax: pageSizeMax };
    const { values, nextToken } = await pageOf(page, async (offset) => listConfigurationSets(session, offset));
    const members = values.map((name): XmlElement[] => [["Name", name]]);
    return [["ConfigurationSets", memberList(members)], ...tokenElement(nextToken)];
  }),
};

/** Actions with the account, identities and configuration sets. */
export const accountActions: QueryActions = { ...quotaActions, ...identityActions, ...configurationSetActions };
