import type { RequestOptions } from "node:http";

/**
 * Creates the `lookup` of a request that goes to the address that was judged, whatever its host: nothing resolves the
 * name a second time (DNS rebinding).
 */
export function pinnedLookup(address: string): NonNullable<RequestOptions["lookup"]> {
  const family = address.includes(":") ? 6 : 4;
  return (_host, { all }, callback) => {
    if (all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}
