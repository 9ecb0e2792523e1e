/** Comments above copied tests with the command that runs them against the service. */

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

/** Returns the comment for pytest. */
export function pytestCommand(url: string): string {
  return isLoopback(url) ? '# Start: eval "$(npx restante env)" && pytest' : "# Start: RESTANTE_API_KEY=KEY pytest";
}

/** Returns the comment for Maven. */
export function mavenCommand(url: string): string {
  return `// Start: ${environment(url)}mvn test`;
}

/** Returns the comment for tests of `node:test` with `restante/client`. */
export function clientCommand(url: string): string {
  return `// Start: ${environment(url)}node --test mail.test.ts`;
}

/** Returns the comment for Playwright with the fixtures of `restante/playwright`. */
export function fixtureCommand(url: string): string {
  return isLoopback(url)
    ? '// Start: eval "$(npx restante env)" && npx playwright test'
    : `// Start: RESTANTE_URL=${url} RESTANTE_API_KEY=KEY npx playwright test`;
}

/** Returns the comment for .NET. */
export function dotnetCommand(url: string): string {
  return `// Start: ${environment(url)}dotnet test`;
}

/** Returns the comment for Ruby. */
export function rubyCommand(url: string): string {
  return `# Start: ${environment(url)}ruby mail_test.rb`;
}

/** Returns the comment for PHP, whose official library requires HTTPS; without it, the code reads another base URL. */
export function phpCommand(url: string): string {
  const command = "vendor/bin/phpunit MailTest.php";
  if (isHttps(url)) return `// Start: ${environment(url)}${command}`;
  return isLoopback(url)
    ? `// Start: eval "$(npx restante env --https)" && ${command}`
    : `// Start: RESTANTE_API_KEY=KEY MAILOSAUR_BASE_URL=https://HOST:PORT/ ${command}`;
}

/** Returns the comment for Go. */
export function goCommand(url: string): string {
  return `// Start: ${environment(url)}go test ./...`;
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
