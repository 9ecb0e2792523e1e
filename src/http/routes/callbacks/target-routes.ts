/** Routes that all kinds of targets have. */
import { keyRoute } from "../rows.ts";
import { listOf, type WireSchema } from "../../../core/schema.ts";
import { deleteTarget, getTarget, listTargets, type TargetPath } from "../../../operations/callbacks/open-target.ts";
import type { ShownTargets } from "../../../operations/callbacks/target-schema.ts";
import { auditedAct, responseText } from "../../audit.ts";
import type { KeyCall, KeyRoute } from "../../route.ts";

/** Kind of targets with the words and paths of its routes. */
export interface RoutedKind<Kind extends keyof ShownTargets> {
  readonly kind: Kind;
  readonly path: string;
  readonly onePath: string;
  /** Name of the last parameter of `onePath`. */
  readonly parameter: string;
  /** Part of the ids of operations. */
  readonly name: string;
  /** Object of audited actions. */
  readonly object: "webhook" | "event_webhook" | "inbound_route";
  /** The kind in texts, and one target of it. */
  readonly label: string;
  readonly one: string;
  readonly schema: WireSchema<unknown>;
}

/** Returns the path of the target that a call names. */
export function pathOf<Kind extends keyof ShownTargets>(
  { kind, parameter }: RoutedKind<Kind>,
  { id, params }: KeyCall,
): TargetPath<Kind> {
  return { kind, server: id, target: params[parameter] ?? "" };
}

/** Returns the route that lists the targets of a kind. */
export function listRoute<Kind extends keyof ShownTargets>(routed: RoutedKind<Kind>): KeyRoute {
  const { kind, path, name, label, schema } = routed;
  return keyRoute(`list${name}s`, `GET ${path}`, {
    summary: `List the ${label}s of a server.`,
    returns: [`The ${label}s, oldest first.`, listOf(schema)],
    run: async ({ context, principal, id }) => await listTargets(context, principal, { kind, server: id }),
  });
}

/** Returns the route that reads a target. */
export function getRoute<Kind extends keyof ShownTargets>(kind: RoutedKind<Kind>): KeyRoute {
  const { onePath, name, label, one, schema } = kind;
  return keyRoute(`get${name}`, `GET ${onePath}`, {
    summary: `Retrieve ${one}.`,
    returns: [`The ${label}.`, schema],
    run: async (call) => await getTarget(call.context, call.principal, pathOf(kind, call)),
  });
}

/** Returns the route that deletes a target. */
export function deleteRoute<Kind extends keyof ShownTargets>(kind: RoutedKind<Kind>): KeyRoute {
  const { onePath, name, object, one } = kind;
  return keyRoute(`delete${name}`, `DELETE ${onePath}`, {
    summary: `Delete ${one} with its deliveries.`,
    audit: (call) => {
      const { target } = pathOf(kind, call);
      const named = kind.kind === "events" ? { details: { provider: target } } : { target };
      return auditedAct(`${object}.delete`, { server: call.id, ...named });
    },
    returns: ["Deleted."],
    run: async (call) => deleteTarget(call.context, call.principal, pathOf(kind, call)),
  });
}

/** Returns the route that replaces the secrets of a target, in which `rotate` does so. */
export function secretRoute<Kind extends keyof ShownTargets, Body>(
  kind: RoutedKind<Kind>,
  { summary, body, rotate }: Rotation<Kind, Body>,
): KeyRoute {
  const { onePath, name, object, label, schema } = kind;
  return keyRoute(`rotate${name}Secret`, `POST ${onePath}/secret`, {
    summary,
    body,
    audit: (call, response) =>
      auditedAct(`${object}.rotate`, { target: responseText(response, "id"), server: call.id }),
    returns: [`The ${label} with its new secret.`, schema],
    run: async (call, secret) => await rotate(call.context, call.principal, { ...pathOf(kind, call), ...secret }),
  });
}

interface Rotation<Kind extends keyof ShownTargets, Body> {
  readonly summary: string;
  readonly body: WireSchema<Body>;
  readonly rotate: (
    context: KeyCall["context"],
    principal: KeyCall["principal"],
    request: TargetPath<Kind> & Body,
  ) => Promise<ShownTargets[Kind]>;
}
