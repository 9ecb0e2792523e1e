/** Types of settings and of the values that they hold. */
import type { ServerId } from "../../core/ids.ts";
import type { PhoneNumber } from "../../core/phone-number.ts";

/** Parser of one kind of value. */
export interface Form<T> {
  /** Description of valid values; completes the sentence "give …". */
  readonly allowed: string;
  /** Parses a value; returns undefined when the text is not valid. */
  read(text: string): T | undefined;
  /** Normalises a value, defaults included; absent: values stay as they are. */
  normalise?(value: T): T;
}

/** One setting: an environment variable, a flag of `restante serve` and a row of the reference page. */
export interface Setting<T> extends SettingRow<T> {
  /** Name of the environment variable, `RESTANTE_…`; {@link flagOf} derives the flag. */
  readonly env: string;
}

/** Declaration of a setting, whose variable follows from its name. */
export interface SettingRow<T> {
  readonly form: Form<T>;
  /** Default value. */
  readonly fallback: T;
  /** Default value in words, for the reference page and the help. */
  readonly fallbackText: string;
  /** Description for the reference page: one or two sentences without line breaks. */
  readonly meaning: string;
  /** Whether the value must never be shown. */
  readonly secret: boolean;
}

/** Values of the settings that rows declare. */
export type ValuesOf<Rows> = { readonly [Name in keyof Rows]: Rows[Name] extends SettingRow<infer T> ? T : never };

/** Settings with these values. */
export type SettingsOf<Values> = { readonly [Name in keyof Values]: Setting<Values[Name]> };

/** Setting without its description. */
interface Undescribed<T> {
  readonly means: (meaning: string) => SettingRow<T>;
}

/** Declares a setting; the default is shown as one would give it, `off` for null. */
export function setting<T>(form: Form<T>, fallback: NoInfer<T>): Undescribed<T> {
  return { means: (meaning) => ({ form, fallback, fallbackText: textOf(fallback), meaning, secret: false }) };
}

/** Declares a setting that is null by default; `absent` says what holds then. */
export function optional<T>(form: Form<T>, absent: string, secrecy: "secret" | "open" = "open"): Undescribed<T | null> {
  const row = { form: form as Form<T | null>, fallback: null, fallbackText: absent, secret: secrecy === "secret" };
  return { means: (meaning) => ({ ...row, meaning }) };
}

function textOf(value: unknown): string {
  if (value === null) return "`off`";
  if (typeof value === "boolean") return value ? "`yes`" : "`no`";
  const text = [value as string | readonly string[]].flat().join(",");
  return text === "" ? "none" : `\`${text}\``;
}

/** Server that the service creates at start unless it exists. */
export interface ConfiguredServer {
  readonly id: ServerId;
  readonly name: string;
}

/** Phone number that the service assigns to a server at start. */
export interface ConfiguredNumber {
  readonly number: PhoneNumber;
  readonly server: ServerId;
}

/** Server of mail whose recipient names no server: the oldest one (`first`), none (`off`), or a certain one. */
export type CatchAll = "first" | "off" | ServerId;

/** Address of another program. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** DNS resolver: that of the operating system, none, or servers as `address` or `address:port`. */
export type DnsChoice = "system" | "off" | readonly string[];

/** Returns the variable of a setting by its name: `httpPort` → `RESTANTE_HTTP_PORT`. */
export function variableOf(name: string): string {
  return `RESTANTE_${name.replaceAll(/[A-Z]/g, (capital) => `_${capital}`).toUpperCase()}`;
}

/** Returns the flag of a variable without the leading hyphens: `RESTANTE_HTTP_PORT` → `http-port`. */
export function flagOf(env: string): string {
  return env
    .replace(/^RESTANTE_/, "")
    .toLowerCase()
    .replaceAll("_", "-");
}
