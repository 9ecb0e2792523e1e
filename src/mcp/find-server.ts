import { type ApiCaller, callJson, ToolError } from "./call-api.ts";
import type { ToolCall } from "./tool.ts";

/** Members of a server that tools show. */
export interface ShownServer {
  readonly id: string;
  readonly name: string;
  readonly messages: number;
  readonly expiresAt: string | null;
}

/** Returns the servers that the key can access. */
export async function listServers(caller: ApiCaller): Promise<readonly ShownServer[]> {
  const { value } = await callJson<Listed<ShownServer>>(caller, { method: "GET", path: "/api/servers" });
  return itemsOf(value);
}

/** A list as either list envelope has it. */
export type Listed<Item> = readonly Item[] | { readonly items: readonly Item[] };

/** Returns the elements of a list. */
export function itemsOf<Item>(list: Listed<Item>): readonly Item[] {
  return "items" in list ? list.items : list;
}

/** Returns the server of a call: the argument, the default, or the only one; throws a {@link ToolError} otherwise. */
export async function serverOf(call: ToolCall): Promise<string> {
  const named = call.args.text("server") ?? call.server;
  if (named !== null) return named;
  const [only, ...others] = await listServers(call);
  if (only !== undefined && others.length === 0) return only.id;
  throw new ToolError(
    only === undefined
      ? "There is no server yet. Call create_server first."
      : `There are ${String(others.length + 1)} servers. Call list_servers, and name one with the argument server.`,
  );
}
