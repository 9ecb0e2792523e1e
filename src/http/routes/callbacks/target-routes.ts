/** Routes that all kinds of targets have. */
import { listOf, type WireSchema } from "../../../core/schema.ts";
import { deleteTarget, getTarget, listTargets, type TargetPath } from "../../../operations/callbacks/open-target.ts";
import type { ShownTargets } from "../../../operations/callbacks/shown-target.ts";
import { auditedAct, responseText } from "../../audit.ts";
import { jsonResponse, noContent } from "../../http-response.ts";
import { listResponse } from "../../lists/page-response.ts";
import { jsonBodyBytesMax, type KeyCall, type KeyRoute } from "../../route.ts";
import { toWireTarget } from "../../wire/callback-schema.ts";
import { decodeBody } from "../../wire/request-decoder.ts";

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
export function listRoute<Kind extends keyof ShownTargets>({
  kind,
  path,
  name,
  label,
  schema,
}: RoutedKind<Kind>): KeyRoute {
  return {
    method: "GET",
    path,
    operationId: `list${name}s`,
    summary: `List the ${label}s of a server.`,
    access: "key",
    successes: [{ status: 200, description: `The ${label}s, oldest first.`, schema: listOf(schema) }],
    problems: ["not_found"],
    respond: async (call) => {
      const targets = await listTargets(call.context, call.principal, { kind, server: call.id });
      return listResponse(call, targets.map(toWireTarget));
    },
  };
}

/** Returns the route that reads a target. */
export function getRoute<Kind extends keyof ShownTargets>(kind: RoutedKind<Kind>): KeyRoute {
  const { onePath: path, name, label, one, schema } = kind;
  return {
    method: "GET",
    path,
    operationId: `get${name}`,
    summary: `Retrieve ${one}.`,
    access: "key",
    successes: [{ status: 200, description: `The ${label}.`, schema }],
    problems: ["not_found"],
    respond: async (call) =>
      jsonResponse(toWireTarget(await getTarget(call.context, call.principal, pathOf(kind, call)))),
  };
}

/** Returns the route that deletes a target. */
export function deleteRoute<Kind extends keyof ShownTargets>(kind: RoutedKind<Kind>): KeyRoute {
  const { onePath: path, name, object, one } = kind;
  return {
    method: "DELETE",
    path,
    operationId: `delete${name}`,
    audit: (call) => {
      const { target } = pathOf(kind, call);
      const named = kind.kind === "events" ? { details: { provider: target } } : { target };
      return auditedAct(`${object}.delete`, { server: call.id, ...named });
    },
    summary: `Delete ${one} with its deliveries.`,
    access: "key",
    successes: [{ status: 204, description: "Deleted." }],
    problems: ["not_found", "storage_full"],
    respond: async (call) => {
      await deleteTarget(call.context, call.principal, pathOf(kind, call));
      return noContent;
    },
  };
}

/** Returns the route that replaces the secrets of a target, in which `rotate` does so. */
export function secretRoute<Kind extends keyof ShownTargets, Body>(
  kind: RoutedKind<Kind>,
  { summary, body, rotate }: Rotation<Kind, Body>,
): KeyRoute {
  const { onePath, name, object, label, schema } = kind;
  return {
    method: "POST",
    path: `${onePath}/secret`,
    operationId: `rotate${name}Secret`,
    audit: (call, response) =>
      auditedAct(`${object}.rotate`, { target: responseText(response, "id"), server: call.id }),
    summary,
    access: "key",
    body: { schema: body, bytesMax: jsonBodyBytesMax },
    successes: [{ status: 200, description: `The ${label} with its new secret.`, schema }],
    problems: ["invalid_request", "not_found", "storage_full"],
    respond: async (call) => {
      const request = { ...pathOf(kind, call), ...decodeBody(body, call.body) };
      return jsonResponse(toWireTarget(await rotate(call.context, call.principal, request)));
    },
  };
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
