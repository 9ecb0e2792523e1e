import type { RequestOptions } from "node:http";

/**
 * Returns a `lookup` function that always yields the checked address, so that the host is not resolved a second time
 * (DNS rebinding).
 */
export function pinnedLookup(address: string): NonNullable<RequestOptions["lookup"]> {
  const family = address.includes(":") ? 6 : 4;
  return (_host, { all }, callback) => {
    if (all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}
