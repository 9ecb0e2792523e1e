const officialLibrary = /(?:^|\s)(?:mailosaur-[\w.+#-]+|cypress-mailosaur)\//i;

/**
 * Returns whether a request's User-Agent names an official library: a product `mailosaur-<language>` or
 * `cypress-mailosaur` (RFC 9110 §10.1.5), anywhere in the list, since HTTP layers append their own names.
 */
export function isOfficialLibrary(userAgent: string | undefined): boolean {
  return userAgent !== undefined && officialLibrary.test(userAgent);
}
