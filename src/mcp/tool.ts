/** Types of tools. The tool table is served over stdio and over HTTP alike. */
import type { Clock } from "../core/clock.ts";
import type { Api } from "./api.ts";
import type { ArgumentTable, Arguments } from "./arguments.ts";

/** Part of a result. */
export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    };

/** Address of an SMTP listener; `unknown` when the service is elsewhere and does not say it. */
export type SmtpAddress = { readonly host: string; readonly port: number } | "off" | "unknown";

/** Facts about the service and the caller of tools. */
export interface ToolContext {
  readonly api: Api;
  /** Server of calls that name none; null when the caller has to name one, unless there is only one. */
  readonly server: string | null;
  /** Domain of the addresses of servers: `<anything>@<server>.<mailDomain>`. */
  readonly mailDomain: string;
  /** Returns the address to which applications send mail. */
  readonly smtp: () => SmtpAddress;
  readonly clock: Clock;
}

/** A call of a tool. */
export interface ToolCall extends ToolContext {
  readonly args: Arguments;
  /** Aborts when the caller cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Reports progress to callers that ask for it. Never throws. */
  readonly report: (progress: Progress) => void;
}

/** Progress of a call. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

/** Row of the tool table. */
export interface Tool {
  readonly name: string;
  /** Name for people. */
  readonly title: string;
  /** Purpose and use of the tool, for the model. */
  readonly description: string;
  readonly parameters: ArgumentTable;
  /** Whether the tool changes nothing. */
  readonly isReadOnly: boolean;
  /** Whether the tool deletes or overwrites anything. */
  readonly isDestructive: boolean;
  /** Whether a repeated call with the same arguments changes nothing more. */
  readonly isIdempotent: boolean;
  /** Whether the tool reaches others than the service, such as recipients of mail. */
  readonly isOpenWorld: boolean;
  /** Runs the tool; rejects with a `ToolError`. */
  readonly run: (call: ToolCall) => Promise<readonly Content[]>;
}

/** Properties of tools that only read from the service. */
export const readOnly: Pick<Tool, "isReadOnly" | "isDestructive" | "isIdempotent" | "isOpenWorld"> = {
  isReadOnly: true,
  isDestructive: false,
  isIdempotent: true,
  isOpenWorld: false,
};

/** Annotations of tools that add something to a server, each time that they are called. */
export const adding: typeof readOnly = { ...readOnly, isReadOnly: false, isIdempotent: false };

/** Returns a text part. */
export function textPart(text: string): Content {
  return { type: "text", text };
}
