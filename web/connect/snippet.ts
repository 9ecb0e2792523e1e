/** Content of a file, to be copied. */
export interface Snippet {
  /** Framework that the snippet is for. */
  readonly name: string;
  readonly file: string;
  readonly code: string;
}

/** Returns a double-quoted string literal for JavaScript, TypeScript and Python. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** Returns the comment above copied tests: the command that runs them against the service. */
export function startComment(url: string, command: string): string {
  return `Start: ${environment(url)}${command}`;
}

/** Returns the comment for Playwright. On Node, the official library connects only to HTTPS on port 443 unless redirected. */
export function playwrightCommand(url: string): string {
  const command = "npx playwright test";
  if (isLoopback(url)) return `// Start: eval "$(npx restante env --redirect)" && ${command}`;
  const { protocol, port } = new URL(url);
  if (protocol === "https:" && port === "") return `// Start: RESTANTE_API_KEY=KEY ${command}`;
  return `// Start: RESTANTE_API_KEY=KEY RESTANTE_REDIRECT_URL=${url} NODE_OPTIONS=--import=restante/redirect ${command}`;
}

/** Returns the comment for Cypress, whose plug-in is configured by its own variables. */
export function cypressCommand(url: string): string {
  const variables = `CYPRESS_MAILOSAUR_API_KEY=$RESTANTE_API_KEY CYPRESS_MAILOSAUR_BASE_URL=${url}/`;
  return `// Start: ${keyPrefix(url)}${variables} npx cypress run`;
}

/** Returns the comment for Playwright with the fixtures of `restante/playwright`. */
export function fixtureCommand(url: string): string {
  return isLoopback(url)
    ? '// Start: eval "$(npx restante env)" && npx playwright test'
    : `// Start: RESTANTE_URL=${url} RESTANTE_API_KEY=KEY npx playwright test`;
}

/** Returns the comment for PHP, whose official library requires HTTPS; without it, the code reads another base URL. */
export function phpCommand(url: string): string {
  const command = "vendor/bin/phpunit MailTest.php";
  if (isHttps(url)) return `// ${startComment(url, command)}`;
  return isLoopback(url)
    ? `// Start: eval "$(npx restante env --https)" && ${command}`
    : `// Start: RESTANTE_API_KEY=KEY MAILOSAUR_BASE_URL=https://HOST:PORT/ ${command}`;
}

/** Returns whether a URL is one of HTTPS. */
export function isHttps(url: string): boolean {
  return new URL(url).protocol === "https:";
}

function environment(url: string): string {
  return isLoopback(url) ? 'eval "$(npx restante env)" && ' : "RESTANTE_API_KEY=KEY ";
}

function keyPrefix(url: string): string {
  return isLoopback(url) ? 'eval "$(npx restante env)" && ' : "RESTANTE_API_KEY=KEY; ";
}

/** Returns whether the service runs on the machine of the tests, so that `restante env` finds it. */
function isLoopback(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

/** Returns whether a host name or address is that of the machine itself. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || host.startsWith("127.");
}

/** Criteria that identify a message, and what a test asserts. */
export interface TestValues {
  /** Base URL of the service, without a trailing slash. */
  readonly url: string;
  readonly server: string;
  /** Address or number of a recipient; "" for none. */
  readonly sentTo: string;
  readonly subject: string;
  /** The first code and the body that contains it; null for none. */
  readonly code: { readonly value: string; readonly part: "html" | "text" } | null;
}

/** Returns a pattern of the form of a code: each email has another one of the same form. */
export function patternOf(code: string): string {
  return code
    .replaceAll(/\d+/g, (digits) => `\\d{${digits.length.toString()}}`)
    .replaceAll(/[A-Za-z]+/g, (letters) => (letters === "d" ? letters : `[A-Za-z]{${letters.length.toString()}}`));
}
