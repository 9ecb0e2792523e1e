import chromium from "@sparticuz/chromium";

/** Path of the registry's Chromium; the first time on a machine it unpacks itself, which takes seconds. */
export async function chromiumPath(): Promise<string> {
  return chromium.executablePath();
}
