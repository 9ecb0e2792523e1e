/** Requests to Vonage Verify v2. */
import { parsePhoneNumber, parseSmsSender } from "../../core/phone-number.ts";
import { isJsonObject, readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { appHashLength, codePattern } from "../one-time-code.ts";
import { withPlus } from "./message.ts";
import { invalidParameter, verifyRejection } from "./errors.ts";

/** Channels by which a code is delivered. */
type VerifyChannel = "sms" | "whatsapp" | "voice" | "email";

/** One step of a verification. */
export interface Workflow {
  readonly channel: VerifyChannel;
  /** Number in E.164, or address. */
  readonly to: string;
  /** Sender; null for the default. */
  readonly from: string | null;
  readonly appHash: string | null;
}

/** Request to start a verification. */
export interface VerifyStart {
  readonly brand: string;
  readonly workflow: readonly Workflow[];
  /** Seconds until a step ends. */
  readonly channelTimeout: number;
  readonly codeLength: number;
  /** Code that the application chose; null for a random one. */
  readonly code: string | null;
  readonly clientRef: string | null;
}

const channels: readonly string[] = ["sms", "whatsapp", "voice", "email"] satisfies readonly VerifyChannel[];
const workflowCountMax = 3;
const channelTimeoutDefault = 180;
const codeLengthDefault = 4;

/** Decodes the body of a request to start a verification and throws the first error. */
export function readVerifyStart(body: Uint8Array): VerifyStart {
  const value = readJsonObject(body);
  if (value === undefined) throw invalidParameter("body", "The body is not a JSON object");
  const settings = readSettings(value);
  const { workflow: steps } = value;
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > workflowCountMax) {
    throw invalidParameter("workflow", "`workflow` must have 1 to 3 items");
  }
  const workflow = steps.map((step: unknown, position) => readWorkflow(step, `workflow[${String(position)}]`));
  return { ...settings, workflow };
}

/** Decodes the body of a request to check a code. */
export function readVerifyCheck(body: Uint8Array): string {
  const code = readJsonObject(body)?.["code"];
  if (typeof code !== "string" || !codePattern.test(code))
    throw invalidParameter("code", "`code` must have 4 to 10 characters");
  return code;
}

/** Rules of members, null for an absent one, with the words that end the reason of an error. */
const rules: readonly (readonly [name: string, isValid: (value: unknown) => boolean, reason: string])[] = [
  ["brand", (value) => isText(value, /^[^\\/{}:$]{1,16}$/), "must have 1 to 16 characters"],
  ["code", optional((value) => isText(value, codePattern)), "must have 4 to 10 letters or digits"],
  ["locale", optional((value) => isText(value, /^[a-z]{2}-[a-z]{2}$/i)), "is invalid"],
  ["client_ref", optional((value) => isText(value, /^.{1,16}$/s)), "must have 1 to 16 characters"],
  ["channel_timeout", optional((value) => isWhole(value, 15, 900)), "must be between 15 and 900"],
  ["code_length", optional((value) => isWhole(value, 4, 10)), "must be between 4 and 10"],
];

function optional(isValid: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === null || isValid(value);
}

function readSettings(value: JsonObject): Omit<VerifyStart, "workflow"> {
  for (const [name, isValid, reason] of rules) {
    if (!isValid(value[name] ?? null)) throw invalidParameter(name, `\`${name}\` ${reason}`);
  }
  // The rules have checked the types.
  return {
    brand: value["brand"] as string,
    code: (value["code"] ?? null) as string | null,
    clientRef: (value["client_ref"] ?? null) as string | null,
    channelTimeout: (value["channel_timeout"] ?? channelTimeoutDefault) as number,
    codeLength: (value["code_length"] ?? codeLengthDefault) as number,
  };
}

function readWorkflow(value: unknown, name: string): Workflow {
  if (!isJsonObject(value)) throw invalidParameter(name, "`workflow` items must be objects");
  const { channel } = value;
  // Silent authentication needs a contract with Vonage; other accounts are not permitted to use it.
  if (channel === "silent_auth") throw verifyRejection({ name: "forbidden" });
  if (typeof channel !== "string" || !channels.includes(channel)) throw invalidParameter(name, "`channel` is invalid");
  const isEmail = channel === "email";
  const to = readRecipient(value["to"], isEmail);
  if (to === undefined) {
    throw invalidParameter(name, isEmail ? "`to` Email address is invalid" : "`to` Phone number is invalid");
  }
  const from = readSender(value["from"] ?? null, isEmail);
  if (from === undefined) throw invalidParameter(name, "The `from` parameter is invalid.");
  const appHash = readAppHash(value["app_hash"] ?? null, channel);
  if (appHash === undefined) throw invalidParameter(name, "`app_hash` is invalid");
  return { channel: channel as VerifyChannel, to, from, appHash };
}

/** Returns the hash that is appended to an SMS; null for none. */
function readAppHash(appHash: unknown, channel: string): string | null | undefined {
  if (appHash === null) return null;
  const isValid = channel === "sms" && typeof appHash === "string" && appHash.length === appHashLength;
  return isValid ? appHash : undefined;
}

function readRecipient(to: unknown, isEmail: boolean): string | undefined {
  if (typeof to !== "string") return undefined;
  if (!isEmail) return parsePhoneNumber(withPlus(to));
  return isEmailAddress(to) ? to : undefined;
}

function readSender(from: unknown, isEmail: boolean): string | null | undefined {
  if (from === null) return null;
  if (typeof from !== "string") return undefined;
  if (isEmail) return isEmailAddress(from) ? from : undefined;
  return (parseSmsSender(withPlus(from)) ?? parseSmsSender(from))?.value;
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}
