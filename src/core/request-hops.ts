/**
 * Count of the services like this one that a message has passed by requests, so that loops end: two webhooks that lead to
 * each other's service, or a service that calls itself through a proxy. Requests carry it in CDN-Loop (RFC 8586).
 */
import { AsyncLocalStorage } from "node:async_hooks";

const token = "restante";
/** Characters of a field that are read. */
const fieldLengthMax = 2048;
const hops = new AsyncLocalStorage<number>();

/** Returns the field of a request that a message causes which has passed `count` services. */
export function loopFields(count: number): Readonly<Record<"cdn-loop", string>> {
  return { "cdn-loop": `${token}; hops=${count + 1}` };
}

/** Returns the number of services that a request has passed; 0 without the field. A field without a number counts as one. */
export function readHops(field: string | undefined): number {
  if (field === undefined) return 0;
  let count = 0;
  for (const one of field.slice(0, fieldLengthMax).split(",")) {
    const [name = "", ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
    if (name !== token) continue;
    const given = parameters.find((parameter) => parameter.startsWith("hops="))?.slice("hops=".length) ?? "1";
    count += /^\d{1,6}$/.test(given) ? Math.max(1, Number(given)) : 1;
  }
  return count;
}

/** Runs `action` for a request or a message that has passed `count` services. */
export function withHops<Result>(count: number, action: () => Result): Result {
  return count === 0 && hops.getStore() === undefined ? action() : hops.run(count, action);
}

/** Returns the number of services that the running request or message has passed. */
export function currentHops(): number {
  return hops.getStore() ?? 0;
}
