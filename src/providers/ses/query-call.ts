import type { XmlElement } from "../formats/aws-xml.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { Need } from "./call.ts";
import type { Caller } from "./compose.ts";

/** Request to version 1 of the API. */
export interface QueryCall extends Caller {
  /** Parameters of the action. */
  readonly request: JsonObject;
}

/** Action of version 1 of the API. */
export interface QueryAction {
  readonly need: Need;
  /** Returns the content of the result element; null for actions without one. */
  readonly act: (call: QueryCall) => Promise<readonly XmlElement[] | null>;
}

/** Actions by name. */
export type QueryActions = Readonly<Record<string, QueryAction>>;
