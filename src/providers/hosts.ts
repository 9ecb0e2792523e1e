/** Host names of the providers' own APIs, for clients whose base URL is not changed. */
import type { Provider } from "./provider.ts";

/** Regions of AWS in which Amazon SES or Amazon SNS exist; requests to any other region are not intercepted. */
const awsRegions =
  "af-south-1 ap-east-1 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2 ap-southeast-1 ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ca-central-1 ca-west-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3 il-central-1 me-central-1 me-south-1 mx-central-1 sa-east-1 us-east-1 us-east-2 us-gov-east-1 us-gov-west-1 us-west-1 us-west-2".split(
    " ",
  );

/**
 * Returns the host names of a provider's API, one for each region. Names that begin with `*.`, of which the first label is any,
 * stay as they are; {@link findHost} finds them.
 */
export function hostsOfProvider({ hosts = [] }: Pick<Provider, "hosts">): readonly string[] {
  return hosts.flatMap((host) =>
    host.includes(".*.") ? awsRegions.map((region) => host.replace("*", () => region)) : [host],
  );
}

/** Returns the value of a host name among names of {@link hostsOfProvider}; undefined for all other hosts. */
export function findHost<Value>(hosts: ReadonlyMap<string, Value>, host: string): Value | undefined {
  return hosts.get(host) ?? hosts.get(host.replace(/^[^.]+/, "*"));
}
