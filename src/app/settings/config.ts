/** Reads and checks the settings of a run from environment variables and flags. */
import { parseArgs } from "node:util";
import type { Limits } from "../../core/limits.ts";
import { suggestion } from "../../core/nearest-name.ts";
import { exposedAddress } from "../loopback.ts";
import { limitSettings } from "./limit-settings.ts";
import { catcherNames, localhostWarnings } from "./listener-settings.ts";
import { oidcContradictions } from "./oidc-settings.ts";
import { publicMailContradictions } from "./public-mail-settings.ts";
import { choiceSettings, settings, type Choices } from "./table.ts";
import { flagOf, type Setting, type SettingsOf } from "./setting.ts";

/** Minimum length of a key when the listeners are not on loopback. */
const exposedKeyLengthMin = 16;

/** Keys of examples in documentation and manifests, in lower case without separators. */
const placeholder =
  /^(?:(?:please)?(?:change|replace)(?:me|this|it)?|(?:a|my|your)+(?:own|secret|api|account)*(?:key|secret|password|token)|(?:the)?(?:api|account|secret)?(?:key|secret|password|token)|akeyofyourchoice|example|placeholder|todo|xxx|notsosecret|insecure|default|test)/;

/**
 * Returns why a key is too weak for listeners that are not on loopback, as the predicate of a sentence whose subject is the
 * setting; null when it is strong enough.
 */
export function keyWeakness(key: string): string | null {
  if (placeholder.test(key.toLowerCase().replaceAll(/[^a-z0-9]/g, ""))) return "is a known placeholder";
  const length = String(exposedKeyLengthMin);
  return key.length < exposedKeyLengthMin ? `must have at least ${length} characters` : null;
}

/** Settings of one run; deeply frozen, paths are absolute. */
export interface Config extends Choices {
  readonly limits: Limits;
  /** Variables of OpenTelemetry (`OTEL_…`), which only RESTANTE_TRACES uses. */
  readonly openTelemetry: Environment;
}

/** Settings that were read, and warnings. */
interface Settings {
  readonly config: Config;
  /** Warnings about unknown variables whose names begin with `RESTANTE_` and about `localhost`. */
  readonly warnings: readonly string[];
}

/** Error about settings with which the service refuses to start; each line names a setting and its valid values. */
export class SettingsError extends Error {
  override readonly name: string = "SettingsError";

  constructor(lines: readonly string[], options?: ErrorOptions) {
    super(lines.join("\n"), options);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Text given for one setting, and the flag or variable that gave it. */
interface Given {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads every setting: a flag takes precedence over the environment, the environment over the default. An empty variable
 * counts as absent. Throws {@link SettingsError} that names all invalid settings; it never contains values of secrets.
 */
export function readSettings(environment: Environment, argv: readonly string[]): Settings {
  const flags = readFlags(argv);
  const refusals: string[] = [];
  const read = <T>(setting: Setting<T>): T => {
    const given = findGiven(setting, flags, environment);
    if (given === undefined) return setting.fallback;
    const value = setting.form.read(given.text);
    if (value !== undefined) return value;
    refusals.push(refusal(setting, given));
    return setting.fallback;
  };
  const choices = readAll(choiceSettings, read);
  const limits = readAll(limitSettings, read);
  refusals.push(...contradictions(choices));
  if (refusals.length > 0) throw new SettingsError(refusals);
  const bind = findGiven(choiceSettings.bind, flags, environment);
  const ofBind = bind === undefined ? [] : localhostWarnings(bind.text).map((warning) => `${bind.name}: ${warning}`);
  return {
    config: configFrom(choices, limits, openTelemetryOf(environment)),
    warnings: [...ofBind, ...unknownVariables(environment)],
  };
}

function openTelemetryOf(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith("OTEL_")));
}

/** Returns the default settings with some replaced; values are normalised but not checked. */
export function configFrom(
  choices: Partial<Choices>,
  limits: Partial<Limits> = {},
  openTelemetry: Environment = {},
): Config {
  const given: Readonly<Record<string, unknown>> = choices;
  const values = Object.entries<Setting<unknown>>(choiceSettings).map(([name, { form, fallback }]) => {
    const value = name in given ? given[name] : fallback;
    return [name, value === null ? null : (form.normalise?.(value) ?? value)] as const;
  });
  const all = {
    ...Object.fromEntries(values),
    limits: { ...readAll(limitSettings, ({ fallback }) => fallback), ...limits },
    openTelemetry,
  };
  return deepFreeze(structuredClone(all)) as Config;
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

function readAll<Values extends object>(table: SettingsOf<Values>, read: <T>(setting: Setting<T>) => T): Values {
  const rows = Object.entries<Setting<unknown>>(table);
  return Object.fromEntries(rows.map(([name, setting]) => [name, read(setting)])) as Values;
}

function readFlags(argv: readonly string[]): ReadonlyMap<string, string> {
  const names = settings.map((setting) => flagOf(setting.env));
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const flags = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === "positional")
      throw new SettingsError([`serve takes no arguments, only flags: "${token.value}" is not allowed`]);
    if (token.kind !== "option") continue;
    const known = names.includes(token.name) && token.rawName.startsWith("--");
    if (!known)
      throw new SettingsError([`unknown flag ${token.rawName}${suggestion(token.rawName, names.map(asFlag))}`]);
    if (token.value === undefined || (!token.inlineValue && token.value.startsWith("--"))) {
      throw new SettingsError([`${token.rawName} needs a value`]);
    }
    flags.set(token.name, token.value);
  }
  return flags;
}

function asFlag(name: string): string {
  return `--${name}`;
}

function findGiven(
  setting: Setting<unknown>,
  flags: ReadonlyMap<string, string>,
  environment: Environment,
): Given | undefined {
  const flag = flagOf(setting.env);
  const flagText = flags.get(flag);
  if (flagText !== undefined) return { name: asFlag(flag), text: flagText };
  const text = environment[setting.env];
  return text ? { name: setting.env, text } : undefined;
}

function refusal(setting: Setting<unknown>, given: Given): string {
  const value = setting.secret ? "the given value" : JSON.stringify(given.text.slice(0, 200));
  return `${given.name}: ${value} is not allowed; give ${setting.form.allowed}`;
}

function contradictions(choices: Choices): string[] {
  const pair = (choices.tlsCert === null) === (choices.tlsKey === null);
  const dkim = [choices.dkimDomain, choices.dkimSelector, choices.dkimKey].filter((part) => part !== null).length;
  const { httpPort, httpsPort, smtpPort, smtpsPort } = choices;
  const needsDatabase = { RESTANTE_DATABASE_LISTEN_URL: choices.databaseListenUrl, RESTANTE_BLOB_URL: choices.blobUrl };
  const listens = [httpPort, httpsPort, smtpPort, smtpsPort].some((port) => port !== null);
  const portNames = ["HTTP", "HTTPS", "SMTP", "SMTPS"].map((name) => `RESTANTE_${name}_PORT`);
  return [
    ...(pair ? [] : ["RESTANTE_TLS_CERT and RESTANTE_TLS_KEY must be set together: give both or neither"]),
    ...(dkim === 0 || dkim === 3
      ? []
      : ["RESTANTE_DKIM_DOMAIN, RESTANTE_DKIM_SELECTOR and RESTANTE_DKIM_KEY must be set together: give all or none"]),
    ...Object.entries(needsDatabase)
      .filter(([, value]) => value !== null && choices.databaseUrl === null)
      .map(([name]) => `${name} requires PostgreSQL: give RESTANTE_DATABASE_URL too`),
    ...oidcContradictions(choices),
    ...publicMailContradictions(choices),
    ...weakKeys(choices),
    ...catchersWithoutServer(choices),
    ...(listens ? [] : [`${portNames.join(", ")} are all off: enable at least one`]),
  ];
}

/** Returns an error for listeners with the API of another mail catcher that would show no server. */
function catchersWithoutServer({ peerServer, catchAll, ...choices }: Choices): string[] {
  const isOpen = catcherNames.some((name) => choices[`${name}Port`] !== null);
  if (!isOpen || peerServer !== null || catchAll !== "off") return [];
  return ["RESTANTE_PEER_SERVER is required while RESTANTE_CATCH_ALL is off: give the id of the server to show"];
}

/** Returns an error for each key that is too weak for listeners that are not on loopback. */
function weakKeys({ bind, apiKey, secretKey }: Choices): string[] {
  const exposed = exposedAddress(bind);
  if (exposed === undefined) return [];
  const keys = { RESTANTE_API_KEY: apiKey, RESTANTE_SECRET_KEY: secretKey };
  return Object.entries(keys).flatMap(([name, key]) => {
    const weakness = key === null ? null : keyWeakness(key);
    if (weakness === null) return [];
    return [
      `${name} ${weakness}, and ${exposed} can be reached from other machines: give one made by \`openssl rand -hex 24\``,
    ];
  });
}

/** Variables of test runs; a service may be started in the same shell. */
const clientNames: ReadonlySet<string> = new Set([
  "RESTANTE_RECORD",
  "RESTANTE_SERVER",
  "RESTANTE_SMTP_HOST",
  "RESTANTE_URL",
]);

function unknownVariables(environment: Environment): string[] {
  const names = settings.map((setting) => setting.env);
  return Object.keys(environment)
    .filter((name) => name.startsWith("RESTANTE_") && !names.includes(name))
    .filter((name) => !name.startsWith("RESTANTE_REDIRECT_") && !clientNames.has(name))
    .sort()
    .map((name) => `${name} is not a setting and has no effect${suggestion(name, names)}`);
}
