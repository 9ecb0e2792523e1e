/** Parameters of tools: their JSON Schema for clients, and the validation of what clients send. */
import { suggestion } from "../core/nearest-name.ts";
import { ToolError } from "./call-api.ts";
import { messageCountDefault, messageCountMax, waitMsDefault, waitMsMax } from "./bounds.ts";

/** A parameter of a tool. */
export type Parameter = {
  /** For the model. */
  readonly description: string;
  readonly isRequired?: true;
} & (
  | { readonly type: "string"; readonly lengthMax: number; readonly members?: readonly string[] }
  | { readonly type: "integer"; readonly min: number; readonly max: number }
  | { readonly type: "boolean" }
);

/** Returns a parameter of at most `lengthMax` characters. */
export function text(
  lengthMax: number,
  description: string,
  more: { readonly isRequired?: true; readonly members?: readonly string[] } = {},
): Parameter {
  return { type: "string", lengthMax, description, ...more };
}

/** Returns a parameter that is a whole number from `min` to `max`. */
export function integer(description: string, max: number = Number.MAX_SAFE_INTEGER, min = 0): Parameter {
  return { type: "integer", min, max, description };
}

/** Parameters by name. */
export type ArgumentTable = Readonly<Record<string, Parameter>>;

/** Validated arguments of a call. */
export interface Arguments {
  /** Returns a string; undefined when it is absent or empty. */
  text(name: string): string | undefined;
  integer(name: string): number | undefined;
  boolean(name: string): boolean | undefined;
}

/** JSON Schema of a parameter. */
type ParameterSchema = Record<string, string | number | string[]>;

/** Unknown names that one error lists. */
const listedCountMax = 5;
const nameLengthMax = 64;

/** Returns the JSON Schema (2020-12) of parameters. */
export function schemaOfParameters(table: ArgumentTable): {
  readonly type: "object";
  readonly properties: Record<string, ParameterSchema>;
  readonly required?: string[];
  readonly additionalProperties: false;
} {
  const properties = Object.fromEntries(Object.entries(table).map(([name, one]) => [name, schemaOf(one)]));
  const required = Object.entries(table).flatMap(([name, one]) => (one.isRequired === true ? [name] : []));
  return { type: "object", properties, ...(required.length > 0 && { required }), additionalProperties: false };
}

function schemaOf(parameter: Parameter): ParameterSchema {
  const { type, description } = parameter;
  if (parameter.type === "boolean") return { type, description };
  if (parameter.type === "integer") return { type, description, minimum: parameter.min, maximum: parameter.max };
  const members = parameter.members === undefined ? {} : { enum: [...parameter.members] };
  return { type, description, ...members, maxLength: parameter.lengthMax };
}

/**
 * Validates arguments; null counts as absent. Throws a {@link ToolError} that names every wrong one. Names and values of
 * the caller are repeated only in part.
 */
export function readArguments(table: ArgumentTable, given: unknown): Arguments {
  if (given !== undefined && (typeof given !== "object" || given === null || Array.isArray(given))) {
    throw new ToolError("The arguments must be an object. Correct them and call the tool again.");
  }
  const values = new Map(
    Object.entries((given ?? {}) as Readonly<Record<string, unknown>>).filter(([, value]) => value !== null),
  );
  const problems = Object.entries(table).flatMap(([name, parameter]) => problemsOf(name, parameter, values.get(name)));
  const unknown = Array.from(values.keys()).filter((name) => !Object.hasOwn(table, name));
  problems.push(...unknown.slice(0, listedCountMax).map((name) => describeUnknown(name, Object.keys(table))));
  if (problems.length > 0) {
    throw new ToolError(`${problems.join("; ")}. Correct the arguments and call the tool again.`);
  }
  const valueOf = <Value>(name: string): Value | undefined => {
    const value = values.get(name);
    return value === "" ? undefined : (value as Value | undefined);
  };
  return { text: valueOf<string>, integer: valueOf<number>, boolean: valueOf<boolean> };
}

function problemsOf(name: string, parameter: Parameter, value: unknown): readonly string[] {
  if (value === undefined || value === "") return parameter.isRequired === true ? [`${name} is required`] : [];
  const problem = problemOf(parameter, value);
  return problem === null ? [] : [`${name} ${problem}`];
}

/** Returns what is wrong with a value; null when it is valid. */
function problemOf(parameter: Parameter, value: unknown): string | null {
  if (parameter.type === "string") return textProblem(parameter, value);
  if (parameter.type === "boolean") return typeof value === "boolean" ? null : "must be true or false";
  const { min, max } = parameter;
  const isInRange = Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
  return isInRange ? null : `must be a whole number from ${String(min)} to ${String(max)}`;
}

function textProblem({ members, lengthMax }: Extract<Parameter, { type: "string" }>, value: unknown): string | null {
  if (typeof value !== "string") return "must be a string";
  if (value.length > lengthMax) return `has more than ${String(lengthMax)} characters`;
  return members === undefined || members.includes(value) ? null : `must be one of ${members.join(", ")}`;
}

function describeUnknown(given: string, names: readonly string[]): string {
  const shown = given.slice(0, nameLengthMax).toWellFormed();
  return `there is no parameter ${JSON.stringify(shown)}${suggestion(shown, names)}`;
}

// Parameters that several tools share.

const criterionLengthMax = 1000;
const idLengthMax = 100;
const bodyLengthMax = 400_000;
const criterion = (description: string): Parameter => text(criterionLengthMax, description);

/** Server of the call. */
export const serverParameter: ArgumentTable = {
  server: text(
    idLengthMax,
    "Id of the server, such as abcd1234. May be left out when there is a default: the key is restricted to one server, or only one exists.",
  ),
};

/** Id of a message. */
export const idParameter: Parameter = text(
  idLengthMax,
  "Id of the message, from list_messages, search_messages or wait_for_message.",
);

/** Criteria of a search. */
export const criteriaParameters: ArgumentTable = {
  sentTo: criterion("Whole e-mail address or phone number of a recipient (to, cc, bcc or envelope)."),
  sentFrom: criterion("Whole e-mail address or phone number of the sender."),
  subject: criterion("Part of the subject, in any letter case."),
  body: criterion("Part of the text or of the visible text of the HTML, in any letter case."),
  match: text(3, "Whether all criteria must match (default), or any one.", { members: ["ALL", "ANY"] }),
};

/** Bounds in time of a search. */
export const sinceParameters: ArgumentTable = {
  receivedAfter: criterion("Only messages received after this instant, ISO 8601."),
  after: integer("Only messages that arrived after the result that gave this cursor. Exact, unlike a time."),
};

/** Direction of messages. */
export const directionParameter: ArgumentTable = {
  dir: text(8, "Received messages (default), or those that the server sent.", { members: ["Received", "Sent"] }),
};

/** Messages of a server that a search or wait is about. */
export const searchParameters: ArgumentTable = {
  ...serverParameter,
  ...criteriaParameters,
  ...sinceParameters,
  ...directionParameter,
};

/** Page of a list. */
export const pageParameters: ArgumentTable = {
  before: text(idLengthMax, "Only messages older than the one with this id: the last one of the previous result."),
  limit: integer(
    `Most messages to return, at most ${String(messageCountMax)}; default ${String(messageCountDefault)}.`,
    messageCountMax,
    1,
  ),
};

/** Wait for messages. */
export const waitParameters: ArgumentTable = {
  ...searchParameters,
  timeoutMs: integer(
    `Longest wait in milliseconds, at most ${String(waitMsMax)}; default ${String(waitMsDefault)}.`,
    waitMsMax,
  ),
};

/** Message that a tool reads: by its id, or the newest one that matches. */
export const messageParameters: ArgumentTable = {
  id: { ...idParameter, description: `${idParameter.description} Without it, the newest message that matches.` },
  ...serverParameter,
  ...criteriaParameters,
  ...sinceParameters,
  timeoutMs: integer("Without id: milliseconds to wait for a match; default 0.", waitMsMax),
};

/** Content of a message to compose. */
export const contentParameters: ArgumentTable = {
  text: text(bodyLengthMax, "Text of the message."),
  html: text(bodyLengthMax, "HTML of the message."),
};
