/** Settings of single sign-on: one issuer by variables, further ones in a file. */
import { readFileSync } from "node:fs";
import { decodeStrictly } from "../../core/strict-decoder.ts";
import { Problem } from "../../core/errors.ts";
import { readJson } from "../../core/read-json.ts";
import { build, refusal, type ValueOf } from "../../core/schema.ts";
import type { IssuerSettings } from "../../core/issuer.ts";
import { type Issuers, openIssuers } from "../../egress/oidc/issuers.ts";
import { isLoopbackHost } from "../../http/host-guard.ts";
import * as forms from "./forms.ts";
import { optional, setting, type Form, type ValuesOf } from "./setting.ts";

/** Largest file of issuers, in bytes. */
const fileBytesMax = 1024 * 1024;
/** Name of the issuer of the variables, in paths. */
const nameOfVariables = "default";
/** Scopes without which an issuer says neither address nor name. */
const scopesDefault: readonly string[] = ["openid", "profile", "email"];

const issuerUrl: Form<string> = {
  allowed: "an https:// URL without query, as the issuer writes it (http:// only on this machine)",
  read: (given) => (isIssuerUrl(given) ? given : undefined),
};
const shortText: Form<string> = {
  allowed: "1 to 256 characters",
  read: (given) => (/^[^\p{Cc}]{1,256}$/u.test(given) ? given : undefined),
};
const texts: Form<readonly string[]> = {
  allowed: "texts separated by commas",
  read: (given) => {
    const all = given.split(",").map((one) => one.trim());
    return all.every((one) => shortText.read(one) !== undefined) ? all : undefined;
  },
};
const scopes: Form<readonly string[]> = {
  allowed: "scopes separated by blanks, with openid",
  read: (given) => {
    const all = given.split(/[ ,]+/);
    return all.includes("openid") && all.every((one) => /^[!#-[\]-~]{1,256}$/.test(one)) ? all : undefined;
  },
};
/** Settings of single sign-on, in the order of the reference page. */
export const oidcSettings = {
  oidcIssuer: optional(issuerUrl, "none: API keys only").means(
    "Issuer (OpenID provider) at which users sign in to the web UI, and whose tokens are accepted as keys. Its metadata is requested on first use. Register `<RESTANTE_PUBLIC_URL>/web/oidc/default/callback` as redirect URI there.",
  ),
  oidcLabel: optional(shortText, "the host of the issuer").means("Name of the issuer on the sign-in page."),
  oidcClientId: optional(shortText, "none").means("Client id that the issuer has given to this service."),
  oidcClientSecret: optional(shortText, "none: a public client with PKCE", "secret").means(
    "Client secret that the issuer has given to this service. Prefer the variable to the flag: other users of the machine can read command lines.",
  ),
  oidcScopes: setting(scopes, scopesDefault).means(
    "Scopes that are requested, separated by blanks. With `offline_access`, groups are read again every 15 minutes, and a user whose access the issuer has ended is signed out then.",
  ),
  oidcAudiences: optional(texts, "the client id").means(
    "Values of `aud` of which tokens must have one that are sent instead of keys: to the API, and to SMTP, IMAP and POP3 by OAUTHBEARER or XOAUTH2.",
  ),
  oidcGroupsClaim: optional(shortText, "none: memberships are managed here or by SCIM").means(
    "Claim with the groups of a user, or its path with dots, such as `realm_access.roles`. Teams with the name or external id of a group get the user as a member at each sign-in.",
  ),
  oidcAccountGroups: setting(texts, []).means(
    "Groups whose members own the account. Requires RESTANTE_OIDC_GROUPS_CLAIM.",
  ),
  oidcDomains: setting(forms.domains, []).means(
    "Domains of e-mail addresses that may sign in; all unless given. Addresses of these domains count as verified where the issuer does not say `email_verified`, as Entra ID does not.",
  ),
  oidcCreate: setting(forms.yesOrNo, true).means(
    "Whether an unknown user that signs in is added. With `no`, only users that an owner or SCIM has added sign in.",
  ),
  oidcFile: optional(forms.path, "none").means(
    "JSON file with further issuers: an array of objects with the members `name` (for the redirect URI `…/web/oidc/<name>/callback`), `issuer`, `clientId` and optionally `label`, `clientSecret`, `scopes`, `audiences`, `groupsClaim`, `accountGroups`, `domains` and `mayCreate`. Read at the start.",
  ),
};

type OidcChoices = ValuesOf<typeof oidcSettings>;

/** Returns what contradicts itself in these settings, as sentences. */
export function oidcContradictions({ oidcIssuer, oidcClientId, ...choices }: OidcChoices): string[] {
  const { oidcAccountGroups: owners, oidcGroupsClaim: claim } = choices;
  return [
    ...((oidcIssuer === null) === (oidcClientId === null)
      ? []
      : ["RESTANTE_OIDC_ISSUER and RESTANTE_OIDC_CLIENT_ID must be set together: give both or neither"]),
    ...(owners.length > 0 && claim === null
      ? ["RESTANTE_OIDC_ACCOUNT_GROUPS requires the claim of groups: give RESTANTE_OIDC_GROUPS_CLAIM too"]
      : []),
  ];
}

const list = build.array(build.string(), { maxItems: 100 });
const fileSchema = build.array(
  build.object({
    name: build.string({ pattern: "^[a-z0-9-]{1,40}$", [refusal]: { text: "Must be 1 to 40 of a-z, 0-9 and -" } }),
    issuer: build.string(),
    clientId: build.string(),
    label: build.optional(build.string()),
    clientSecret: build.optional(build.string()),
    scopes: build.optional(list),
    audiences: build.optional(list),
    groupsClaim: build.optional(build.string()),
    accountGroups: build.optional(list),
    domains: build.optional(list),
    mayCreate: build.optional(build.boolean()),
  }),
  { maxItems: 20 },
);
type IssuerOfFile = ValueOf<typeof fileSchema>[number];

/** Opens the issuers of the settings as {@link openIssuers} does. Throws an `Error` that names what is wrong with the file. */
export function openConfiguredIssuers(choices: OidcChoices, dependencies: Parameters<typeof openIssuers>[1]): Issuers {
  return openIssuers(readIssuers(choices), dependencies);
}

/** Returns the issuers of the settings, that of the variables first. Throws an `Error` that names what is wrong with the file. */
function readIssuers(choices: OidcChoices): readonly IssuerSettings[] {
  const file = choices.oidcFile === null ? [] : readIssuerFile(choices.oidcFile);
  const all = [...issuerOfVariables(choices), ...file.map(issuerOfFile)];
  const names = new Set(all.map(({ name }) => name));
  const urls = new Set(all.map(({ issuer }) => issuer));
  if (names.size < all.length || urls.size < all.length) {
    throw new Error(
      `RESTANTE_OIDC_FILE: each issuer needs a name and a URL of its own, and "${nameOfVariables}" is that of RESTANTE_OIDC_ISSUER`,
    );
  }
  return all;
}

function issuerOfVariables(choices: OidcChoices): readonly IssuerSettings[] {
  const { oidcIssuer: issuer, oidcClientId: clientId } = choices;
  if (issuer === null || clientId === null) return [];
  return [
    {
      name: nameOfVariables,
      label: choices.oidcLabel ?? new URL(issuer).host,
      issuer,
      clientId,
      clientSecret: choices.oidcClientSecret,
      scopes: choices.oidcScopes,
      audiences: choices.oidcAudiences ?? [clientId],
      groupsClaim: choices.oidcGroupsClaim,
      accountGroups: choices.oidcAccountGroups,
      domains: choices.oidcDomains,
      mayCreate: choices.oidcCreate,
    },
  ];
}

function issuerOfFile(given: IssuerOfFile): IssuerSettings {
  const { issuer, clientId } = given;
  const own = {
    label: URL.parse(issuer)?.host ?? "",
    clientSecret: null,
    scopes: scopesDefault,
    audiences: [clientId],
    groupsClaim: null,
    accountGroups: [],
    mayCreate: true,
    ...given,
    domains: (given.domains ?? []).map((one) => one.toLowerCase()),
  };
  const wrong = faultOf(own);
  if (wrong !== undefined) throw new Error(`RESTANTE_OIDC_FILE: ${wrong}`);
  return own;
}

function faultOf({
  name,
  issuer,
  scopes: given,
  domains: own,
  groupsClaim,
  accountGroups,
}: IssuerSettings): string | undefined {
  if (!isIssuerUrl(issuer)) return `the issuer ${issuer} is not allowed; give ${issuerUrl.allowed}`;
  if (scopes.read(given.join(" ")) === undefined)
    return `the scopes of ${name} are not allowed; give an array with openid`;
  if (own.length > 0 && forms.domains.read(own.join(",")) === undefined)
    return `the domains of ${name} are not allowed; give an array of domains of at least two labels`;
  return accountGroups.length > 0 && groupsClaim === null ? `accountGroups of ${name} requires groupsClaim` : undefined;
}

function readIssuerFile(path: string): readonly IssuerOfFile[] {
  const bytes = readFileSync(path);
  if (bytes.byteLength > fileBytesMax)
    throw new Error(`RESTANTE_OIDC_FILE: ${path} is larger than ${fileBytesMax} bytes`);
  const reading = readJson(bytes);
  if ("fault" in reading) throw new Error(`RESTANTE_OIDC_FILE: ${path} is not JSON`);
  try {
    return decodeStrictly(fileSchema, reading.value);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const wrong = error.fields.map(({ field, description }) => `${field}: ${description}`);
    throw new Error(`RESTANTE_OIDC_FILE: ${wrong.join("; ")}`, { cause: error });
  }
}

function isIssuerUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}
