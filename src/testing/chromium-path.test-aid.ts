import chromium from "@sparticuz/chromium";

/** Returns the path of the Chromium from npm; its first use on a machine decompresses it, which takes seconds. */
export async function chromiumPath(): Promise<string> {
  return chromium.executablePath();
}
