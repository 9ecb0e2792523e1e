/** Names and texts → checked values: the settings of one run, decided before anything starts. */
import { parseArgs } from "node:util";
import type { Limits } from "../../core/limits.ts";
import { isLoopback } from "../loopback.ts";
import { suggestion } from "../../core/nearest-name.ts";
import { flagOf, type Setting } from "./setting.ts";
import { limitSettings } from "./limit-settings.ts";
import { choiceSettings, settings, type Choices } from "./table.ts";
import { keyWeakness } from "./weak-key.ts";

/** The settings of one run; deeply frozen, `dataDir`, `tlsCert`, `tlsKey` and `dkimKey` absolute. */
export interface Config extends Choices {
  readonly limits: Limits;
}

/** What was read, and what deserves a second look though it changes nothing. */
export interface Settings {
  readonly config: Config;
  /** Variables that are named like settings but are none; whole sentences. */
  readonly warnings: readonly string[];
}

/** The settings do not let the service start; each line names one of them and what it takes. */
export class SettingsError extends Error {
  override readonly name: string = "SettingsError";

  constructor(lines: readonly string[], options?: ErrorOptions) {
    super(lines.join("\n"), options);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What was given for one setting, and where. */
interface Given {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads every setting: a flag wins over the environment, the environment over the default. An empty variable counts as
 * absent. Throws {@link SettingsError}, naming everything that is wrong at once; values of secrets are never named.
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
  return { config: configFrom(choices, limits), warnings: unknownVariables(environment) };
}

/** Returns the default settings with some replaced; values are normalised but not checked. */
export function configFrom(choices: Partial<Choices>, limits: Partial<Limits> = {}): Config {
  const given: Readonly<Record<string, unknown>> = choices;
  const values = Object.entries<Setting<unknown>>(choiceSettings).map(([name, { form, fallback }]) => {
    const value = name in given ? given[name] : fallback;
    return [name, value === null ? null : (form.normalise?.(value) ?? value)] as const;
  });
  const all = { ...Object.fromEntries(values), limits: { ...readAll(limitSettings, fallbackOf), ...limits } };
  return deepFreeze(structuredClone(all)) as Config;
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

type SettingsOf<Values> = { readonly [Name in keyof Values]: Setting<Values[Name]> };

function readAll<Values extends object>(table: SettingsOf<Values>, read: <T>(setting: Setting<T>) => T): Values {
  const rows = Object.entries<Setting<unknown>>(table);
  return Object.fromEntries(rows.map(([name, setting]) => [name, read(setting)])) as Values;
}

function fallbackOf<T>(setting: Setting<T>): T {
  return setting.fallback;
}

function readFlags(argv: readonly string[]): ReadonlyMap<string, string> {
  const names = settings.map((setting) => flagOf(setting.env));
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const flags = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === "positional")
      throw new SettingsError([`serve takes no argument, but was given "${token.value}"`]);
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
    ...(pair ? [] : ["RESTANTE_TLS_CERT and RESTANTE_TLS_KEY belong together: give both or neither"]),
    ...(dkim === 0 || dkim === 3
      ? []
      : ["RESTANTE_DKIM_DOMAIN, RESTANTE_DKIM_SELECTOR and RESTANTE_DKIM_KEY belong together: give all or none"]),
    ...Object.entries(needsDatabase)
      .filter(([, value]) => value !== null && choices.databaseUrl === null)
      .map(([name]) => `${name} is for a service on PostgreSQL: give RESTANTE_DATABASE_URL too`),
    ...weakKeys(choices),
    ...(listens ? [] : [`${portNames.join(", ")} are all off: nothing would listen`]),
  ];
}

/** Keys that are good enough on this machine only. */
function weakKeys({ bind, apiKey, secretKey }: Choices): string[] {
  if (isLoopback(bind)) return [];
  const keys = { RESTANTE_API_KEY: apiKey, RESTANTE_SECRET_KEY: secretKey };
  return Object.entries(keys).flatMap(([name, key]) => {
    const weakness = key === null ? null : keyWeakness(key);
    if (weakness === null) return [];
    return [`${name} ${weakness}, and others can reach ${bind}: give one made by \`openssl rand -hex 24\``];
  });
}

/** Variables of `restante env` for test runs; a service may be started in the same shell. */
const clientNames: ReadonlySet<string> = new Set(["RESTANTE_SERVER", "RESTANTE_URL"]);

function unknownVariables(environment: Environment): string[] {
  const names = settings.map((setting) => setting.env);
  return Object.keys(environment)
    .filter((name) => name.startsWith("RESTANTE_") && !names.includes(name))
    .filter((name) => !name.startsWith("RESTANTE_REDIRECT_") && !clientNames.has(name))
    .sort()
    .map((name) => `${name} is not a setting and changes nothing${suggestion(name, names)}`);
}
