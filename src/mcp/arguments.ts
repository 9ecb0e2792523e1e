/** Parameters of tools: their JSON Schema for clients, and the validation of what clients send. */
import { suggestion } from "../core/nearest-name.ts";
import { ToolError } from "./tool-error.ts";

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
  switch (parameter.type) {
    case "string": {
      const members = parameter.members === undefined ? {} : { enum: [...parameter.members] };
      return { type, description, ...members, maxLength: parameter.lengthMax };
    }
    case "integer":
      return { type, description, minimum: parameter.min, maximum: parameter.max };
    case "boolean":
      return { type, description };
  }
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
  switch (parameter.type) {
    case "string": {
      if (typeof value !== "string") return [`${name} must be a string`];
      const { members, lengthMax } = parameter;
      if (value.length > lengthMax) return [`${name} has more than ${String(lengthMax)} characters`];
      return members === undefined || members.includes(value) ? [] : [`${name} must be one of ${members.join(", ")}`];
    }
    case "integer": {
      const { min, max } = parameter;
      const isInRange = typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
      return isInRange ? [] : [`${name} must be a whole number from ${String(min)} to ${String(max)}`];
    }
    case "boolean":
      return typeof value === "boolean" ? [] : [`${name} must be true or false`];
  }
}

function describeUnknown(given: string, names: readonly string[]): string {
  const shown = given.slice(0, nameLengthMax).toWellFormed();
  return `there is no parameter ${JSON.stringify(shown)}${suggestion(shown, names)}`;
}
