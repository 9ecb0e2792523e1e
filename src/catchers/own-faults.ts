import type { FaultRule } from "../core/fault.ts";
import { listFaults, replaceFaults } from "../operations/faults/fault-rules.ts";
import type { CatcherCall } from "./catcher.ts";

/** Returns the fault rules of the server with these names. */
export async function readOwnFaults(
  { context, principal, server }: Pick<CatcherCall, "context" | "principal" | "server">,
  names: readonly string[],
): Promise<Awaited<ReturnType<typeof listFaults>>> {
  return (await listFaults(context, principal, server)).filter(({ name }) => names.includes(name));
}

/** Replaces the fault rules of the server with these names, and keeps its other ones with their counts. */
export async function replaceOwnFaults(
  call: Pick<CatcherCall, "context" | "principal" | "server" | "record">,
  names: readonly string[],
  rules: readonly FaultRule[],
): Promise<void> {
  const { context, principal, server } = call;
  const others = (await listFaults(context, principal, server)).filter(({ name }) => !names.includes(name));
  const all = [...others.map(definitionOf), ...rules];
  await replaceFaults(context, principal, { scope: server, read: () => ({ rules: all, keepsCounts: true }) });
  await call.record("faults.replace", { details: { count: all.length } });
}

/** Returns the members of a rule without its counts. */
function definitionOf({ name, match, when, then, until }: FaultRule): FaultRule {
  return { name, match, then, ...(when !== undefined && { when }), ...(until !== undefined && { until }) };
}
